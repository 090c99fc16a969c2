/// The ops page's script, third part: what is published, and which variants devices ask for in vain.
extension OpsPage {
    static let catalogScript = #"""
        const problemText = (section) =>
          h("p", { class: "note warn" }, section.problem.detail);
        // A section of the answer, or what stands in its place: the ledger is off, has nothing yet, or did not answer.
        const rowsOf = (answer, section) => {
          const part = answer[section];
          if (part.problem) return { instead: problemText(part) };
          if (answer.status.ledger.state === "off") {
            return { instead: empty("This server keeps no ledger (--database none), so nothing is known of devices.") };
          }
          return { rows: part.rows, more: part.more };
        };
        const hashFor = (model, period) => `#model=${encodeURIComponent(model)}&since=${period}`;

        const drawModels = (answer, chosen, period) => {
          const rows = answer.models.rows;
          if (!rows.length) {
            return patch("models-body", empty("Nothing is published yet. A model stands here as soon as one is: ",
              h("code", {}, "aimodel-host publish FOLDER --root DIR")));
          }
          const value = (number, className) => number === null ? { of: "–", className: "number" }
            : { of: className && number ? h("span", { class: `pill ${className}` }, count(number)) : count(number),
              className: "number" };
          patch("models-body",
            table("Every published model. Choose one to see it below.",
              [column("Model"), column("Latest"), column("Channels"), numbers("Versions"),
                numbers("Downloads"), numbers("Completed"),
                numbers("Bytes sent"), numbers("Missing asked"),
                numbers("Load failures")],
              rows.map((one) => row(one.model,
                h("a", { href: hashFor(one.model, period), "aria-current": one.model === chosen && "true" }, one.model),
                [text(one.latest ?? h("span", { class: "quiet" }, "none")),
                  text(one.channels.map((channel) => `${channel.name} → ${channel.version}`
                    + (channel.share < 100 ? ` (${channel.share} %)` : "")).join(", ")),
                  number(count(one.versions)), value(one.downloads),
                  number(one.downloads === null ? "–" : percent(one.completed, one.downloads)),
                  number(one.bytesSent === null ? "–" : bytes(one.bytesSent)), value(one.missingAsked, "warn"),
                  value(one.loadFailures, "bad")],
                { class: one.model === chosen ? "here" : null }))),
            answer.models.omitted
              ? hint(`${counted(answer.models.omitted, "more model")} not shown; /api/models?model=NAME tells of one.`)
              : null,
            answer.models.ledgerProblem ? h("p", { class: "note warn" }, answer.models.ledgerProblem) : null);
        };

        const cellOf = (cell) => {
          const asked = cell.asked ? `${counted(cell.asked, "ask")} from ${counted(cell.devices, "device")}` : null;
          switch (cell.state) {
            case "compiled": return h("span", { class: "cell good" }, "✓ compiled");
            case "withdrawn": return h("span", { class: "cell bad" }, "✕ withdrawn", asked && h("small", {}, asked));
            case "missing": return h("span", { class: "cell warn" }, "! missing", h("small", {}, asked));
            case "partial": return h("span", { class: "cell" }, "◐ part compiled");
            case "portable": return h("span", { class: "cell" }, "○ portable only");
            default: return h("span", { class: "cell plain" }, "– nothing");
          }
        };

        const drawMatrix = (answer) => {
          const matrix = answer.matrix;
          if (!matrix) {
            return patch("matrix-body", empty("A model's versions stand here, by what devices get of each."));
          }
          const notes = matrix.versions.flatMap((version) => [
            version.withdrawn ? h("li", { key: `w${version.version}` }, h("strong", {}, version.version),
              ` was withdrawn: ${version.withdrawn.reason}.`,
              version.withdrawn.replacement ? ` Replaced by ${version.withdrawn.replacement}.` : "") : null,
            ...version.cells.filter((cell) => cell.state === "withdrawn" && !version.withdrawn).map((cell) =>
              h("li", { key: `w${version.version} ${cell.architecture}` },
                h("strong", {}, `${version.version} ${cell.architecture}`),
                ` was withdrawn: ${cell.withdrawn.reason}.`)),
            version.problem ? h("li", { key: `p${version.version}` }, h("strong", {}, version.version),
              " has a manifest that cannot be used, so nothing of it is sent.") : null,
          ]);
          patch("matrix-body",
            table("What a device of each architecture gets of each version, newest first; asks within the period.",
              [column("Version"), ...matrix.architectures.map((one) => ({ name: one, className: "architecture" })),
                numbers("Size"), column("Created")],
              matrix.versions.map((version) => row(version.version,
                [version.version, version.channels.map((channel) => h("span", { class: "tag" },
                  channel.share < 100 ? `${channel.name} ${channel.share} %` : channel.name)),
                  version.withdrawn ? h("span", { class: "tag bad" }, "withdrawn") : null],
                [...version.cells.map((cell) => text(cellOf(cell))),
                  number(version.size === null ? "–" : bytes(version.size)),
                  { of: version.createdAt ? momentText(version.createdAt) : "–", className: "when" }])),
              "matrix"),
            notes.some((note) => note) ? h("ul", { class: "notes" }, notes) : null,
            matrix.architectures.length ? null
              : hint("No version is compiled for any architecture, and no device has asked for one."),
            matrix.versionsOmitted || matrix.architecturesOmitted
              ? hint(`Not shown: ${counted(matrix.versionsOmitted, "version")}, `
                + `${counted(matrix.architecturesOmitted, "architecture")}.`)
              : null,
            h("ul", { class: "legend" },
              h("li", {}, h("span", { class: "cell good" }, "✓ compiled"), "ready for the device"),
              h("li", {}, h("span", { class: "cell" }, "○ portable only"), "the device compiles it, nobody asked"),
              h("li", {}, h("span", { class: "cell warn" }, "! missing"), "asked for and not there"),
              h("li", {}, h("span", { class: "cell bad" }, "✕ withdrawn"), "taken back")));
        };

        const drawMissing = (answer) => {
          const { rows, instead } = rowsOf(answer, "missing");
          if (instead) return patch("missing-body", instead);
          if (!rows.length) {
            return patch("missing-body", empty("No device has asked in vain within the period. An architecture that ",
              "the build forgot stands here with the line that compiles it."));
          }
          const groups = new Map();
          for (const one of rows) {
            const key = `${one.base}\n${one.architecture}`;
            if (!groups.has(key)) groups.set(key, []);
            groups.get(key).push(one);
          }
          const now = Date.parse(answer.at);
          patch("missing-body",
            h("ul", { class: "wanted" }, [...groups].map(([key, all], index) => {
              const open = all.filter((one) => one.state === "missing");
              const line = open.find((one) => one.compile);
              const last = all.map((one) => one.lastAsked).sort().at(-1);
              const versions = all.map((one) =>
                `${one.version}: ${counted(one.asked, "ask")} from ${counted(one.devices, "device")}`);
              const what = `${all[0].architecture} of ${all[0].base}`;
              return h("li", { key },
                h("p", {}, h("strong", {}, what), " ",
                  open.length ? h("span", { class: "pill warn" }, "missing")
                    : all[0].publishedIn ? h("span", { class: "pill good" }, `published in ${all[0].publishedIn}`)
                      : h("span", { class: "pill" }, "of nothing that is published any more")),
                h("p", { class: "hint" }, `${versions.join("; ")}. Last asked `, moment(last, now), ".",
                  line ? ` Compile it in the folder of the build of ${line.compileIn}:` : ""),
                line ? h("div", { class: "line" },
                  h("code", { id: `line-${index}` }, line.compile),
                  h("button", {
                    type: "button", "data-copy": `line-${index}`, "aria-label": `Copy the line that compiles ${what}`,
                  }, "Copy")) : null,
                open.length && !line
                  ? hint("No release that is published has a portable asset to compile it from.") : null);
            })),
            hint("A published version never changes: publish what was compiled as a new one."));
        };
        """#
}
