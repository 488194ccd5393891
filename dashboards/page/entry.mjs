// A page that holds documents is a report of them; any other one asks its service.
const embedded = document.getElementById("documents");
if (embedded) import("./report.mjs").then(({ show_report }) => show_report(JSON.parse(embedded.textContent)));
else import("./main.mjs");
