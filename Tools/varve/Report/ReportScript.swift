/// What a report does besides being read: the search in labels. Without it all labels are listed.
enum ReportScript {
    static let source = """
        (function () {
          var field = document.getElementById("label-filter");
          var list = document.getElementById("label-list");
          var count = document.getElementById("label-count");
          if (!field || !list) return;
          var rows = Array.prototype.map.call(list.querySelectorAll("tbody tr"), function (row) {
            return { row: row, text: row.cells[0].textContent.toLowerCase() };
          });
          field.addEventListener("input", function () {
            var words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
            var found = 0;
            rows.forEach(function (entry) {
              var shows = words.every(function (word) { return entry.text.indexOf(word) >= 0; });
              entry.row.hidden = !shows;
              if (shows) found += 1;
            });
            count.textContent = words.length ? found + " found" : "";
          });
        })();
        """
}
