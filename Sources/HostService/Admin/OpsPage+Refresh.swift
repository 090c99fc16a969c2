/// The ops page's script, last part: the ledger's own state, asking again and again, and copying.
extension OpsPage {
    static let refreshScript = #"""
        const ledgerWords = {
          off: ["none kept", ""], new: ["nothing written yet", ""], writing: ["writing", "good"],
          failing: ["not writing", "bad"],
        };

        const drawFailure = (failure) => {
          const since = h("time", { datetime: failure.since }, momentText(failure.since));
          return failure.until
            ? h("p", { class: "hint" }, "Nothing was written from ", since,
              ` to ${momentText(failure.until)}: ${failure.message}`)
            : h("p", { class: "note bad" }, "Nothing is written since ", since, `: ${failure.message}`);
        };

        const drawLedger = (answer) => {
          const { state, path, status } = answer.status.ledger;
          const [word, className] = ledgerWords[state] ?? [state, ""];
          if (state === "off") {
            return patch("ledger-body", h("p", {}, h("span", { class: "pill" }, word)),
              empty("The server was started with --database none. With a ledger this page shows who downloads what."));
          }
          const fact = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
          const now = Date.parse(answer.at);
          const { rows: lost, problem } = answer.dropped;
          patch("ledger-body",
            h("p", {}, h("span", { class: `pill ${className}` }, word), " ", h("code", { class: "path" }, path)),
            status.lastFailure ? drawFailure(status.lastFailure) : null,
            h("dl", { class: "facts" },
              fact("Database", bytes(status.size)), fact("Log (WAL)", bytes(status.logSize)),
              fact("Rows written since the start", count(status.writtenRows)),
              fact("Rows waiting", `${count(status.queuedRows)} of ${count(status.queueCapacity)}`),
              fact("Lost since the start", counted(sumOf(status.dropped, (one) => one.count), "row")),
              fact("Begun anew", counted(status.timesBegunAnew, "time"))),
            status.damagedFile
              ? h("p", { class: "note warn" }, "A damaged ledger was kept as ", h("code", {}, status.damagedFile), ".")
              : null,
            problem ? problemText(answer.dropped) : null,
            lost?.length ? table("What could not be recorded within the period, all models", [
              column("Kind"), column("Reason"), numbers("Rows"), column("Last")],
              lost.map((one) => row(`${one.kind} ${one.reason}`, one.kind, [
                text(one.reason), number(count(one.count)), text(moment(one.lastAt, now))]))) : null,
            lost && !lost.length
              ? empty("Nothing was lost within the period. Rows that could not be recorded are counted here.") : null);
        };

        const drawAttention = (answer) => {
          const notes = [];
          const note = (key, className, ...what) => notes.push(h("li", { key, class: `note ${className}` }, what));
          const { ledger, catalog } = answer.status;
          if (ledger.state === "failing") {
            const { since, message } = ledger.status.lastFailure;
            note("ledger", "bad", `The ledger is not written since ${momentText(since)}: ${message}`);
          }
          // Rows that only made room are no loss of news (daily has them), and coverage is counted in octets.
          const isNews = (one) => one.reason !== "size-limit" && one.reason !== "too-many-pieces";
          const lost = sumOf((answer.dropped.rows ?? []).filter(isNews), (one) => one.count);
          if (lost) {
            note("lost", "warn", `${counted(lost, "row")} of telemetry could not be recorded within the period, `
              + "so the figures are too low.");
          }
          if (catalog.findings) {
            note("findings", "bad", `${counted(catalog.findings, "finding")} in the store: `,
              h("a", { href: "/readyz" }, "/readyz names them"), ".");
          }
          for (const one of answer.models.rows) {
            const link = h("a", { href: hashFor(one.model, view.period) }, one.model);
            if (one.missingAsked) {
              note(`missing ${one.model}`, "warn", link,
                `: devices asked ${counted(one.missingAsked, "time")} for variants that are not there.`);
            }
            if (one.loadFailures) {
              note(`failures ${one.model}`, "bad", link, `: ${counted(one.loadFailures, "load failure")} reported.`);
            }
          }
          patch("attention-body", notes.length ? h("ul", { class: "notes" }, notes)
            : empty("Nothing. A ledger that cannot write, damage in the store, missing variants and load failures "
              + "stand here."));
        };

        const view = { model: null, period: "7d", answer: null, at: 0, isPaused: false, failure: null };
        const interval = 5000;
        let timer = 0;
        let asking = null;

        const readHash = () => {
          const given = new URLSearchParams(location.hash.slice(1));
          const periods = [...byId("period").options].map((option) => option.value);
          view.model = given.get("model");
          view.period = periods.includes(given.get("since")) ? given.get("since") : "7d";
          byId("period").value = view.period;
        };

        const parts = [
          drawAttention, drawFigures, drawMatrix, drawMissing, drawAdoption, drawBandwidth, drawRates, drawHealth,
          drawStuck, drawLedger,
        ];
        const draw = () => {
          const answer = view.answer;
          if (!answer) return;
          const chosen = answer.model;
          patch("chosen", chosen ?? "none published yet");
          document.title = chosen ? `${chosen} · aimodel-host` : "aimodel-host";
          drawModels(answer, chosen, view.period);
          for (const part of parts) part(answer);
        };

        const drawState = () => {
          let [text, className] = ["Loading", ""];
          if (view.failure) [text, className] = [view.failure, "bad"];
          else if (view.isPaused) [text, className] = ["Paused", "warn"];
          else if (view.answer) {
            const isFailing = view.answer.status.ledger.state === "failing";
            [text, className] = isFailing ? ["Ledger not writing", "bad"] : ["Serving", "good"];
          }
          const pill = byId("state");
          if (pill.textContent !== text) pill.textContent = text;
          pill.className = `pill ${className}`;
          const age = view.at ? Date.now() - view.at : 0;
          const status = view.answer?.status;
          const server = status ? `${status.version} · ${counted(status.connections, "connection")} · ` : "";
          byId("age").textContent = !view.at ? "" : age > 2 * interval ? `figures are ${spanText(age)} old`
            : `${server}updated ${momentText(view.answer.at)}`;
        };

        const ask = async () => {
          clearTimeout(timer);
          if (document.hidden) return;
          asking?.abort();
          const mine = asking = new AbortController();
          const timeout = setTimeout(() => mine.abort(), 30000);
          let wait = interval;
          try {
            const query = new URLSearchParams({ since: view.period });
            if (view.model !== null) query.set("model", view.model);
            const answer = await fetch(`/api/overview?${query}`, { signal: mine.signal });
            const document = await answer.json();
            if (answer.ok) {
              Object.assign(view, { answer: document, at: Date.now(), failure: null });
              draw();
            } else if (document.type === "/problems/unknown-model" && view.model !== null) {
              // The model was taken away, or the address is an old one: what there is is shown instead.
              history.replaceState(null, "", `#since=${view.period}`);
              view.model = null;
              wait = 0;
            } else {
              view.failure = document.detail;
            }
          } catch (error) {
            if (asking !== mine) return;
            view.failure = "The host does not answer";
            wait = 2 * interval;
          } finally {
            clearTimeout(timeout);
          }
          if (asking !== mine) return;
          drawState();
          if (!view.isPaused) timer = setTimeout(ask, wait);
        };

        const say = (text) => { byId("said").textContent = text; };
        const select = (node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
        };
        // Without a secure context, or without the right, there is no clipboard object to write to: the older way then,
        // and last the line is left selected for the person to copy.
        const copy = async (button) => {
          const line = byId(button.dataset.copy);
          let isCopied = false;
          try {
            await navigator.clipboard.writeText(line.textContent);
            isCopied = true;
          } catch {
            select(line);
            isCopied = document.execCommand("copy");
          }
          if (!isCopied) select(line);
          button.textContent = isCopied ? "Copied" : "Selected";
          say(isCopied ? "The line is copied." : "The line is selected; copy it with the keyboard.");
          setTimeout(() => { button.textContent = "Copy"; }, 2500);
        };

        document.addEventListener("click", (event) => {
          const button = event.target.closest("[data-copy]");
          if (button) copy(button);
          // The address keeps the model and the period.
          if (event.target.closest(".skip")) {
            event.preventDefault();
            byId("main").focus();
          }
        });
        byId("period").addEventListener("change", (event) => {
          const model = view.model ?? view.answer?.model;
          location.hash = model ? hashFor(model, event.target.value) : `#since=${event.target.value}`;
        });
        byId("pause").addEventListener("click", (event) => {
          view.isPaused = !view.isPaused;
          event.currentTarget.setAttribute("aria-pressed", String(view.isPaused));
          if (view.isPaused) clearTimeout(timer); else ask();
          drawState();
        });
        addEventListener("hashchange", () => {
          readHash();
          ask();
        });
        document.addEventListener("visibilitychange", () => {
          if (document.hidden) clearTimeout(timer); else if (!view.isPaused) ask();
        });
        let width = innerWidth;
        addEventListener("resize", () => {
          if (width === innerWidth) return;
          width = innerWidth;
          requestAnimationFrame(draw);
        });
        setInterval(() => { if (!document.hidden) drawState(); }, 1000);
        readHash();
        ask();
        """#
}
