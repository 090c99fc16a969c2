/// The ops page's markup: what stands on it before the first answer has come. The script fills what has an id.
extension OpsPage {
    static let title = "aimodel-host"

    /// A favicon of its own, for a browser asks for /favicon.ico otherwise.
    static let icon =
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect "
        + "width='16' height='16' rx='4' fill='%231d4ed8'/%3E%3Cpath d='M4 11.5V8m4 3.5v-7m4 7V6.5' stroke='%23fff' "
        + "stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E"

    static let body = #"""
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
        <div class="bar">
        <h1><svg class="mark" viewBox="0 0 16 16" aria-hidden="true"><rect width="16" height="16" rx="4"/>
        <path d="M4 11.5V8m4 3.5v-7m4 7V6.5"/></svg>aimodel-host</h1>
        <p class="live"><span id="state" class="pill" role="status">Loading</span>
        <span id="age" class="quiet"></span></p>
        <div class="controls">
        <label for="period">Period</label>
        <select id="period" autocomplete="off">
        <option value="1h">1 hour</option><option value="24h">24 hours</option>
        <option value="7d" selected>7 days</option><option value="30d">30 days</option>
        <option value="90d">90 days</option>
        </select>
        <button id="pause" type="button" aria-pressed="false">Pause</button>
        </div>
        </div>
        </header>
        <main id="main" tabindex="-1">
        <noscript><p class="note bad">This page needs its script. The same figures are JSON below /api/.</p></noscript>

        <section class="card" aria-labelledby="attention-title" id="attention">
        <h2 id="attention-title">Needs attention</h2>
        <div id="attention-body" class="fill"><p class="empty">Waiting for the first answer.</p></div>
        </section>

        <section class="card" aria-labelledby="models-title" id="models">
        <h2 id="models-title">Models</h2>
        <div id="models-body" class="fill"><p class="empty">Waiting for the first answer.</p></div>
        </section>

        <div class="of-model">
        <h2 class="chosen"><span class="quiet">Model</span> <span id="chosen">none yet</span></h2>
        <div id="figures"></div>
        </div>

        <section class="card" aria-labelledby="matrix-title" id="matrix">
        <h3 id="matrix-title">Versions by architecture</h3>
        <div id="matrix-body" class="fill"><p class="empty">Waiting for the first answer.</p></div>
        </section>

        <section class="card" aria-labelledby="missing-title" id="missing">
        <h3 id="missing-title">Missing variants</h3>
        <div id="missing-body" class="fill"><p class="empty">Waiting for the first answer.</p></div>
        </section>

        <div class="pair">
        <section class="card" aria-labelledby="adoption-title" id="adoption">
        <h3 id="adoption-title">Adoption of versions</h3>
        <div id="adoption-body" class="fill"><p class="empty">Waiting for the first answer.</p></div>
        </section>

        <section class="card" aria-labelledby="bandwidth-title" id="bandwidth">
        <h3 id="bandwidth-title">Bytes sent</h3>
        <div id="bandwidth-body" class="fill"><p class="empty">Waiting for the first answer.</p></div>
        </section>
        </div>

        <section class="card" aria-labelledby="rates-title" id="rates">
        <h3 id="rates-title">Completion and resumption</h3>
        <div id="rates-body" class="fill"><p class="empty">Waiting for the first answer.</p></div>
        </section>

        <section class="card" aria-labelledby="health-title" id="health">
        <h3 id="health-title">Load failures by variant</h3>
        <div id="health-body" class="fill"><p class="empty">Waiting for the first answer.</p></div>
        </section>

        <section class="card" aria-labelledby="stuck-title" id="stuck">
        <h3 id="stuck-title">Stuck transfers</h3>
        <div id="stuck-body" class="fill"><p class="empty">Waiting for the first answer.</p></div>
        </section>

        <section class="card" aria-labelledby="ledger-title" id="ledger">
        <h2 id="ledger-title">Ledger</h2>
        <div id="ledger-body" class="fill"><p class="empty">Waiting for the first answer.</p></div>
        </section>
        </main>
        <footer class="quiet"><p>All times are UTC. Devices are counted by the id that an app sends, else by a hash that
        changes at midnight; no address is stored. JSON: <a href="/api/overview">/api/overview</a>,
        <a href="/readyz">/readyz</a>.</p></footer>
        <p id="said" class="unseen" role="status"></p>
        """#
}
