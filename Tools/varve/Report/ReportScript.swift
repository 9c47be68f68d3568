/// What a report does besides being read: the search in labels, and what is folded is opened for paper. Without it the
/// first labels are listed.
enum ReportScript {
    static let source = labels + paper

    private static let labels = #"""
        (function () {
          var field = document.getElementById("label-filter");
          var body = document.querySelector("#label-list tbody");
          var count = document.getElementById("label-count");
          var data = document.getElementById("label-data");
          if (!field || !body || !data) return;
          var listedMax = \#(LabelsSection.listedMax);
          var entries = JSON.parse(data.textContent);
          var texts = entries.map(function (entry) { return entry[0].toLowerCase(); });
          var start = count.textContent;
          function grouped(number) { return String(number).replace(/\B(?=(\d{3})+$)/g, ","); }
          function counted(number, noun) { return grouped(number) + " " + noun + (number === 1 ? "" : "s"); }
          function size(bytes) {
            var units = ["bytes", "KiB", "MiB", "GiB", "TiB"], unit = 0, scaled = bytes;
            while (scaled >= 1023.95 && unit < 4) { scaled /= 1024; unit += 1; }
            return unit ? (Math.round(scaled * 10) / 10).toFixed(1) + " " + units[unit] : counted(bytes, "byte");
          }
          function cell(row, text, isNumber, element, title) {
            var cell = row.insertCell();
            var inner = element ? cell.appendChild(element) : cell;
            if (isNumber) cell.className = "n";
            inner.textContent = text;
            if (title !== undefined) inner.title = title;
          }
          function add(entry) {
            var row = body.insertRow();
            var name = document.createElement("bdi");
            name.className = "name";
            cell(row, entry[0] || "“”", false, name, entry[0]);
            cell(row, grouped(entry[1]), true);
            cell(row, size(entry[2]), true, null, counted(entry[2], "byte"));
            cell(row, entry[3], true);
            cell(row, entry[4], true);
            var time = document.createElement("time");
            time.dateTime = typeof entry[5] === "string"
              ? entry[5] : new Date(entry[5] * 1000).toISOString().replace(".000", "");
            cell(row, time.dateTime.replace("T", " ").replace("Z", ""), false, time);
          }
          field.addEventListener("input", function () {
            var words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
            var found = entries.filter(function (_, position) {
              return words.every(function (word) { return texts[position].indexOf(word) >= 0; });
            });
            body.textContent = "";
            found.slice(0, listedMax).forEach(add);
            var rest = found.length > listedMax ? "; the first " + listedMax + " are listed" : "";
            count.textContent = words.length
              ? counted(found.length, "label") + " with “" + words.join(" ") + "”" + rest : start;
          });
        })();

        """#

    private static let paper = """
        (function () {
          var opened = [];
          window.addEventListener("beforeprint", function () {
            opened = Array.prototype.slice.call(document.querySelectorAll("details:not([open])"));
            opened.forEach(function (part) { part.open = true; });
          });
          window.addEventListener("afterprint", function () {
            opened.forEach(function (part) { part.open = false; });
          });
        })();
        """
}
