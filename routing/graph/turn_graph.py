"""The edge-based turn graph that every search runs on."""

from dataclasses import dataclass

from gis.arrays import U16, U32


@dataclass(frozen=True)
class TurnGraph:
    """Arcs as vertices, allowed turns as their arcs. A arcs, V >= A vertices, T turns.

    Vertex v < A is arc v. A restriction along several ways needs memory: it adds vertices
    A..V-1, each a copy of an arc that is only entered by a path which has begun a forbidden
    sequence. A turn v -> w costs ``turn_cost`` and is taken at the head of v's arc.

    | array | dtype, shape | content |
    |---|---|---|
    | first_turn | uint32 (V + 1,) | offsets into ``turn_head`` and ``turn_cost`` |
    | turn_head | uint32 (T,) | vertex entered, ascending within a vertex |
    | turn_cost | uint16 (T,) | hundredths of a second, never FORBIDDEN |
    | first_back | uint32 (V + 1,) | the same turns by the vertex they enter |
    | back_tail | uint32 (T,) | vertex left, ascending within a vertex |
    | back_cost | uint16 (T,) | as ``turn_cost`` |
    | vertex_arc | uint32 (V,) | arc of each vertex; itself for v < A |

    A closed arc has no turns in or out. Cost of a path v0, v1, ..., vk from the start of v0's
    arc to the start of vk's: sum of weight[arc of v_i] + cost(v_i -> v_i+1) for i < k.
    """

    first_turn: U32
    turn_head: U32
    turn_cost: U16
    first_back: U32
    back_tail: U32
    back_cost: U16
    vertex_arc: U32

    @property
    def n_vertices(self) -> int:
        return len(self.vertex_arc)

    @property
    def n_turns(self) -> int:
        return len(self.turn_head)
