// Before the first paint, so that a page in the other colours never flashes up.
try {
  document.documentElement.dataset.theme = localStorage.getItem("whimbrel-theme") || "auto";
} catch {
  document.documentElement.dataset.theme = "auto";
}
