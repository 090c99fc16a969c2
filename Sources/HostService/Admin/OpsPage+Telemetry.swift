/// The ops page's script, fourth part: what the ledger says of downloads and devices.
extension OpsPage {
    static let telemetryScript = #"""
        const failuresOf = (one) => one.loadFailed + one.specializationFailed + one.corrupt;
        const sumOf = (rows, value) => rows.reduce((sum, one) => sum + value(one), 0);

        const drawFigures = (answer) => {
          const figure = (name, value, more) =>
            h("div", { class: "figure" }, h("dt", {}, name), h("dd", {}, value, h("p", { class: "hint" }, more)));
          const rates = rowsOf(answer, "rates").rows ?? [];
          const adoption = rowsOf(answer, "adoption").rows ? answer.adoption.now : [];
          const missing = (rowsOf(answer, "missing").rows ?? []).filter((one) => one.state === "missing");
          const health = rowsOf(answer, "health").rows ?? [];
          const bandwidth = rowsOf(answer, "bandwidth").rows ?? [];
          const transfers = sumOf(rates, (one) => one.transfers);
          const completed = sumOf(rates, (one) => one.completed);
          const loads = sumOf(health, (one) => one.loaded + failuresOf(one));
          const sent = sumOf(bandwidth, (one) => one.bytesSent);
          const devices = sumOf(adoption, (one) => one.devices);
          const variants = new Set(missing.map((one) => `${one.base} ${one.architecture}`));
          const isKnown = !rowsOf(answer, "rates").instead;
          const sure = (value) => isKnown ? value : "–";
          patch("figures", h("dl", { class: "figures" },
            figure("Downloads begun", sure(count(transfers)), `${sure(count(completed))} completed`),
            figure("Completed", sure(percent(completed, transfers)), "of the downloads begun"),
            figure("Bytes sent", sure(bytes(sent)), "all requests of files and archives"),
            figure("Devices", sure(count(devices)), "that have some version, as last heard"),
            figure("Variants missing", sure(count(variants.size)),
              `${sure(count(sumOf(missing, (one) => one.asked)))} asks in vain`),
            figure("Load failures", sure(count(sumOf(health, failuresOf))),
              `of ${sure(counted(loads, "reported load"))}`)));
        };

        const drawAdoption = (answer) => {
          const { rows, instead } = rowsOf(answer, "adoption");
          if (instead) return patch("adoption-body", instead);
          if (!rows.length) {
            return patch("adoption-body", empty("No device is known to have a version yet. It counts when it says so ",
              "in resolve, when its download completes, or when it reports a load."));
          }
          const totals = new Map();
          for (const one of rows) totals.set(one.version, (totals.get(one.version) ?? 0) + one.devices);
          const { series, placeOf } = seriesOf(totals);
          const days = new Map();
          const end = Date.parse(answer.at.slice(0, 10));
          const begin = Math.max(Date.parse(answer.since.slice(0, 10)), end - 90 * 86400000);
          for (let day = begin; day <= end; day += 86400000) {
            days.set(new Date(day).toISOString().slice(0, 10), series.map(() => 0));
          }
          for (const one of rows) {
            const values = days.get(one.day);
            if (values) values[placeOf(one.version)] += one.devices;
          }
          const points = [...days].map(([day, values]) => ({ label: day, tick: dayText(new Date(day)), values }));
          const current = answer.adoption.now;
          const lead = current[0];
          patch("adoption-body",
            legend(series),
            bars({
              id: "adoption", title: "Devices by version and day", points, series, format: count,
              description: `Stacked bars, one a day, of ${counted(points.length, "day")}. `
                + (lead ? `Most devices have ${lead.version}. ` : "") + "The figures stand in the table below.",
            }),
            table("The version that each device was last known to have", [
              column("Version"), column("Architecture"), numbers("Devices"), column("Last heard")],
              current.slice(0, 12).map((one) => row(`${one.version} ${one.architecture}`, one.version,
                [text(one.architecture ?? h("span", { class: "quiet" }, "not said")), number(count(one.devices)),
                  text(moment(one.last, Date.parse(answer.at)))]))),
            asTable("Devices by day and version (UTC days)",
              [column("Day"), ...series.map((one) => ({ name: one.name, className: "number" }))],
              points.slice().reverse().map((point) => row(point.label, point.label,
                point.values.map((value) => number(count(value)))))));
        };

        const drawBandwidth = (answer) => {
          const { rows, instead } = rowsOf(answer, "bandwidth");
          if (instead) return patch("bandwidth-body", instead);
          if (!rows.length) {
            return patch("bandwidth-body", empty("Nothing was sent within the period. The octets of each hour stand ",
              "here."));
          }
          // An hour a bar as long as bars can be told apart.
          const hour = 3600000;
          const span = Date.parse(answer.at) - Date.parse(answer.since);
          const width = span <= 8 * 24 * hour ? hour : span <= 31 * 24 * hour ? 6 * hour : 24 * hour;
          const wide = width === hour ? "hour" : width === 6 * hour ? "6 hours" : "day";
          const begin = Math.floor(Date.parse(answer.since) / width) * width;
          const sums = new Map();
          for (let at = begin; at <= Date.parse(answer.at); at += width) sums.set(at, { bytes: 0, requests: 0 });
          for (const one of rows) {
            const sum = sums.get(Math.floor(Date.parse(one.hour) / width) * width);
            if (!sum) continue;
            sum.bytes += one.bytesSent;
            sum.requests += one.requests;
          }
          const short = span <= 2 * 24 * hour;
          const points = [...sums].map(([at, sum]) => {
            const date = new Date(at);
            const label = `${dayText(date)} ${clockText(date)} UTC`;
            const tick = short ? clockText(date) : dayText(date);
            return { label, tick, values: [sum.bytes], requests: sum.requests };
          });
          const most = points.reduce((best, point) => point.values[0] > best.values[0] ? point : best, points[0]);
          patch("bandwidth-body",
            hint(`Per ${wide}, all requests of files and archives: `
              + `${bytes(sumOf(points, (point) => point.values[0]))} in `
              + `${counted(sumOf(points, (point) => point.requests), "request")}.`),
            bars({
              id: "bandwidth", title: `Bytes sent per ${wide}`, points, series: [{ name: "bytes", className: "s0" }],
              format: bytes, unitBase: true,
              description: `Bars, one for each ${wide}. The most is ${bytes(most.values[0])} from ${most.label} on. `
                + "The figures stand in the table below.",
            }),
            asTable(`Bytes sent per ${wide} (UTC), those with requests`,
              [column("From"), numbers("Requests"), numbers("Bytes sent")],
              points.filter((point) => point.requests).reverse().map((point) =>
                row(point.label, point.label, [number(count(point.requests)), number(bytes(point.values[0]))]))));
        };

        const drawRates = (answer) => {
          const { rows, instead } = rowsOf(answer, "rates");
          if (instead) return patch("rates-body", instead);
          if (!rows.length) {
            return patch("rates-body", empty("No download within the period. For each version the share that came to ",
              "its end, and of the cut answers the share that went on, stand here."));
          }
          patch("rates-body",
            table("Downloads begun within the period, and answers that were cut", [
              column("Version"), numbers("Downloads"), column("Completed"),
              numbers("Cut"), column("Resumed"), numbers("Sent twice")],
              rows.map((one) => row(one.version, one.version, [
                number(count(one.transfers)), text(rate(one.completed, one.transfers)), number(count(one.cut)),
                text(rate(Math.min(one.resumed, one.cut), one.cut)),
                number(bytes(Math.max(0, one.bytesSent - one.bytesCovered)))]))),
            hint("Sent twice: octets beyond those that a download needs, such as after a resume without a range."));
        };

        const drawHealth = (answer) => {
          const { rows, instead } = rowsOf(answer, "health");
          if (instead) return patch("health-body", instead);
          if (!rows.length) {
            return patch("health-body", empty("No reports within the period. What devices send to POST /reports after ",
              "they loaded a model, or failed to, stands here for each variant."));
          }
          patch("health-body",
            table("What devices reported, most failures first", [
              column("Variant"), column("Version"), numbers("Failed"), numbers("Of loads"),
              column("Why"), numbers("Devices"), numbers("Cold load")],
              rows.map((one) => {
                const failures = failuresOf(one);
                const why = [
                  [one.loadFailed, "load"], [one.specializationFailed, "specialization"], [one.corrupt, "corrupt"],
                  [one.fallbackUsed, "fell back"], [one.removed, "removed"],
                ].filter(([times]) => times).map(([times, what]) => `${count(times)} ${what}`).join(", ");
                return row(`${one.version} ${one.asset} ${one.architecture}`, one.asset, [
                  text(one.version),
                  number(failures ? h("span", { class: "pill bad" }, count(failures)) : "0"),
                  number(percent(failures, failures + one.loaded)), text(why || h("span", { class: "quiet" }, "none")),
                  number(count(one.devices)),
                  number(one.coldLoadMilliseconds === null ? "–" : `${count(one.coldLoadMilliseconds)} ms`)]);
              })));
        };

        const drawStuck = (answer) => {
          const shown = 25;
          const { rows, instead, more } = rowsOf(answer, "stuck");
          if (instead) return patch("stuck-body", instead);
          if (!rows.length) {
            return patch("stuck-body", empty("No transfer is stuck. One that is not complete and has not gone on for ",
              "an hour stands here."));
          }
          const now = Date.parse(answer.at);
          patch("stuck-body",
            table("Not complete and without a request for an hour, the latest first", [
              column("Asset"), column("Version"), column("Device"), column("Covered"), numbers("Of"),
              numbers("Requests"), column("Begun"), column("Last request")],
              rows.slice(0, shown).map((one, index) => row(`${one.firstAt} ${one.device} ${index}`, one.asset, [
                text(one.version), { of: one.device ?? h("span", { class: "quiet" }, "not said"), className: "said" },
                text(rate(one.bytesCovered, one.bytesTotal)), number(bytes(one.bytesTotal)),
                number(count(one.requests)),
                text(moment(one.firstAt, now)), text(moment(one.lastAt, now))]))),
            more || rows.length > shown
              ? hint("These are the latest; ", h("a", { href: "/api/stuck" }, "/api/stuck"), " lists up to 100.")
              : null);
        };
        """#
}
