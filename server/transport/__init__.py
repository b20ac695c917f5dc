"""HTTP as bytes: how requests come in and answers go out."""
