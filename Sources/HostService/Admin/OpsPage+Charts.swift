/// The ops page's script, second part: tables and charts. A chart is SVG with a title and a description, and stands
/// beside a table of what it shows.
extension OpsPage {
    static let chartsScript = #"""
        const empty = (...text) => h("p", { class: "empty" }, ...text);
        const hint = (...text) => h("p", { class: "hint" }, ...text);

        const column = (name) => ({ name });
        const numbers = (name) => ({ name, className: "number" });
        // A table in a box of its own that scrolls where the screen is narrow.
        const table = (caption, columns, rows, className) =>
          h("div", { class: "scroll", role: "region", "aria-label": caption },
            h("table", { class: className },
              h("caption", {}, caption),
              h("thead", {}, h("tr", {},
                columns.map((column) => h("th", { scope: "col", class: column.className }, column.name)))),
              h("tbody", {}, rows)));
        const row = (key, head, cells, attributes) =>
          h("tr", { key, ...attributes }, h("th", { scope: "row", class: "name" }, head),
            cells.map((cell) => h("td", { class: cell.className }, cell.of)));
        const number = (...of) => ({ of, className: "number" });
        const text = (...of) => ({ of });

        const moment = (value, now) =>
          h("time", { datetime: value, title: momentText(value), class: "when" }, ago(value, now));

        // Part of a whole as a bar and as a number.
        const rate = (part, whole) => {
          if (!whole) return h("span", { class: "quiet" }, "–");
          const share = Math.max(0, Math.min(1, part / whole));
          return h("span", { class: "rate" },
            h("svg", { viewBox: "0 0 72 8", preserveAspectRatio: "none", "aria-hidden": "true" },
              h("rect", { class: "track", width: 72, height: 8, rx: 2 }),
              h("rect", {
                class: share < 0.8 ? "part low" : "part", width: (72 * share).toFixed(1), height: 8, rx: 2,
              })),
            percent(part, whole));
        };

        // A number just above `value` that is easy to read, and its steps.
        const scale = (value, unitBase) => {
          if (!(value > 0)) return { top: 1, step: 1 };
          const power = unitBase ? Math.pow(1000, Math.floor(Math.log(value) / Math.log(1000) + 1e-9)) : 1;
          const raw = value / power / 4;
          const ten = Math.pow(10, Math.floor(Math.log10(raw) + 1e-9));
          let step = ([1, 2, 2.5, 5, 10].find((factor) => factor * ten >= raw - 1e-12) || 10) * ten * power;
          // There are no half devices and no half octets.
          step = Math.max(1, unitBase && power > 1 ? step : Math.ceil(step));
          return { top: step * Math.ceil(value / step - 1e-9), step };
        };

        const chartWidth = (id) => Math.max(240, Math.floor(byId(id).clientWidth || 560));

        // Stacked bars. points: [{label, tick, values: [..]}]; series: [{name, className}].
        const bars = ({ id, title, description, points, series, format, unitBase }) => {
          const width = chartWidth(`${id}-body`);
          const height = 200;
          const totals = points.map((point) => point.values.reduce((sum, value) => sum + value, 0));
          const { top, step } = scale(Math.max(0, ...totals), unitBase);
          const ticks = [];
          for (let value = 0; value <= top + step / 2; value += step) ticks.push(value);
          const left = Math.max(...ticks.map((value) => format(value).length)) * 6.6 + 10;
          const bottom = height - 24;
          const y = (value) => bottom - (value / top) * (bottom - 10);
          const slot = (width - left) / points.length;
          const gap = slot > 4 ? Math.max(1, Math.min(12, slot * 0.2)) : 0;
          const grid = ticks.map((value) => [
            h("line", { class: "grid", x1: left, x2: width, y1: y(value).toFixed(1), y2: y(value).toFixed(1) }),
            h("text", { x: left - 8, y: (y(value) + 4).toFixed(1), "text-anchor": "end" }, format(value)),
          ]);
          const drawn = points.map((point, index) => {
            let base = 0;
            return point.values.map((value, which) => {
              if (!value) return null;
              const from = y(base);
              base += value;
              const name = series.length > 1 ? `${series[which].name}, ` : "";
              return h("rect", {
                class: `bar ${series[which].className}`, x: (left + index * slot + gap / 2).toFixed(1),
                y: y(base).toFixed(1), width: Math.min(64, Math.max(0.75, slot - gap)).toFixed(1),
                height: Math.max(1, from - y(base)).toFixed(1), rx: slot > 8 ? 1.5 : 0,
              }, h("title", {}, `${point.label}: ${name}${format(value)}`));
            });
          });
          const labels = [];
          const each = Math.max(1, Math.ceil(points.length / Math.max(1, Math.floor((width - left) / 72))));
          points.forEach((point, index) => {
            if (index % each) return;
            const x = left + index * slot + Math.min(64, slot) / 2;
            const isLast = x > width - 30;
            const isFirst = index === 0 && slot < 60;
            labels.push(h("text", {
              x: (isFirst ? left : isLast ? width : x).toFixed(1), y: height - 6,
              "text-anchor": isFirst ? "start" : isLast ? "end" : "middle",
            }, point.tick));
          });
          return h("div", { class: "chart" },
            h("svg", {
              viewBox: `0 0 ${width} ${height}`, height, role: "img",
              "aria-labelledby": `${id}-chart-title ${id}-chart-text`,
            },
              h("title", { id: `${id}-chart-title` }, title), h("desc", { id: `${id}-chart-text` }, description),
              grid, drawn, labels));
        };

        const legend = (series) =>
          series.length < 2 ? null : h("ul", { class: "legend" },
            series.map((one) => h("li", {}, h("span", { class: `swatch ${one.className}` }), one.name)));

        const asTable = (caption, columns, rows) =>
          h("details", {}, h("summary", {}, "Show the figures"), table(caption, columns, rows));

        // The column that a reader looks at first carries the most: the series beyond the sixth are one.
        const seriesOf = (totals) => {
          const names = [...totals.keys()].sort((left, right) => totals.get(right) - totals.get(left));
          const shown = names.length > 7 ? names.slice(0, 6) : names;
          return {
            series: [
              ...shown.map((one, index) => ({ name: one, className: `s${index}` })),
              ...(shown.length < names.length ? [{ name: "all others", className: "s6" }] : []),
            ],
            placeOf: (one) => {
              const place = shown.indexOf(one);
              return place < 0 ? shown.length : place;
            },
          };
        };
        """#
}
