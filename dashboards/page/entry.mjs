// A page with embedded documents is a report. Without them, the page asks its service.
const embedded = document.getElementById("documents");
if (embedded) import("./report.mjs").then(({ show_report }) => show_report(JSON.parse(embedded.textContent)));
else import("./main.mjs");
