/// The ops page's style sheet. Every pair of text and ground has a contrast of at least 4.5 in both schemes, and no
/// state is told by colour alone.
extension OpsPage {
    static let style = #"""
        :root {
          color-scheme: light dark;
          --ground: #f5f6f8; --card: #ffffff; --line: #dde1e7; --text: #16191f; --quiet: #565e6b; --link: #1d4ed8;
          --good: #0b6b3a; --good-tint: #e3f4ea; --warn: #8a4b00; --warn-tint: #fdefd6; --bad: #b3261e;
          --bad-tint: #fce8e6; --idle: #4b5563; --idle-tint: #eef0f3; --accent: #1d4ed8; --accent-tint: #e6edfd;
          --s0: #2563eb; --s1: #c2570c; --s2: #0d8a5f; --s3: #8b3fd9; --s4: #b8860b; --s5: #0e7490; --s6: #8b93a1;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #101217; --card: #181b21; --line: #2d323c; --text: #e8eaee; --quiet: #a3abb8; --link: #8fb4ff;
            --good: #6fdc9f; --good-tint: #12321f; --warn: #fdbf6b; --warn-tint: #3a2809; --bad: #ff9c94;
            --bad-tint: #421a17; --idle: #b4bcc8; --idle-tint: #262a32; --accent: #8fb4ff; --accent-tint: #1b2a4d;
            --s0: #6b9bff; --s1: #f29a57; --s2: #4fc796; --s3: #c08bff; --s4: #e0bd4a; --s5: #4fc0da; --s6: #7f8896;
          }
        }
        * { box-sizing: border-box }
        html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 4.5rem }
        body { margin: 0; background: var(--ground); color: var(--text);
          font: 400 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif }
        h1, h2, h3, p, dl, dd, ul { margin: 0; padding: 0 }
        h1 { font-size: 1.0625rem; font-weight: 650; display: flex; align-items: center; gap: .5rem }
        h2 { font-size: 1.0625rem; font-weight: 650; letter-spacing: -.005em }
        h3 { font-size: 1rem; font-weight: 650 }
        a { color: var(--link) }
        code, .mono { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }
        .quiet { color: var(--quiet) }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
          white-space: nowrap }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px }
        main:focus { outline: none }
        .skip { position: absolute; left: 1rem; top: -4rem; z-index: 3; padding: .5rem .75rem; background: var(--card);
          border: 1px solid var(--line); border-radius: 6px }
        .skip:focus { top: .5rem }

        .top { position: sticky; top: 0; z-index: 2; background: var(--card); border-bottom: 1px solid var(--line) }
        .bar, main, footer { max-width: 80rem; margin: 0 auto; padding: 0 1.25rem }
        .bar { display: flex; flex-wrap: wrap; align-items: center; gap: .375rem 1.25rem; padding-block: .625rem }
        .mark { width: 1.375rem; height: 1.375rem; flex: none }
        .mark rect { fill: #1d4ed8 } .mark path { stroke: #fff; stroke-width: 2; stroke-linecap: round; fill: none }
        .live { flex: 1 1 14rem; font-size: .875rem }
        .controls { display: flex; align-items: center; gap: .5rem; font-size: .875rem }
        .controls label { color: var(--quiet) }
        button, select { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--line);
          border-radius: 6px; padding: .25rem .625rem; min-height: 2.125rem; cursor: pointer }
        button:hover, select:hover { border-color: var(--quiet) }
        button[aria-pressed="true"] { background: var(--accent-tint); border-color: var(--accent);
          color: var(--accent) }
        .pill { display: inline-block; padding: .0625rem .625rem; border-radius: 99px; font-weight: 600;
          font-size: .8125rem; background: var(--idle-tint); color: var(--idle); white-space: nowrap }
        .good { background: var(--good-tint); color: var(--good) }
        .warn { background: var(--warn-tint); color: var(--warn) }
        .bad { background: var(--bad-tint); color: var(--bad) }

        main { display: grid; gap: 1rem; padding-block: 1.25rem 2rem; grid-template-columns: minmax(0, 1fr) }
        .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
          padding: 1rem 1.25rem 1.125rem; min-width: 0 }
        .card > h2, .card > h3 { margin-bottom: .625rem }
        .fill { display: grid; gap: .75rem; grid-template-columns: minmax(0, 1fr) }
        .pair { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr) }
        .of-model { margin-top: .75rem; display: grid; gap: .75rem; grid-template-columns: minmax(0, 1fr) }
        .chosen { font-size: 1.375rem; overflow-wrap: anywhere }
        .chosen .quiet { font-size: .875rem; font-weight: 400 }
        footer { font-size: .8125rem; padding-block: 0 2rem }
        .empty { color: var(--quiet); max-width: 46rem } .empty code { white-space: nowrap }
        .note { padding: .5rem .75rem; border-radius: 6px; overflow-wrap: anywhere }
        .notes { list-style: none; display: grid; gap: .5rem }
        .hint { color: var(--quiet); font-size: .8125rem; max-width: 60rem }

        .figures { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(min(9.5rem, 100%), 1fr)) }
        .figure { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .75rem 1rem }
        .figure dt { color: var(--quiet); font-size: .8125rem }
        .figure dd { font-size: 1.5rem; line-height: 1.25; font-weight: 650; font-variant-numeric: tabular-nums;
          letter-spacing: -.01em }
        .figure .hint { font-size: .8125rem; font-weight: 400; letter-spacing: 0; line-height: 1.4;
          margin-top: .125rem }

        .scroll { overflow-x: auto; margin-inline: -.25rem; padding-inline: .25rem; overscroll-behavior-x: contain;
          background: linear-gradient(to right, var(--card) 40%, transparent) 0 0 / 2rem 100% no-repeat local,
            linear-gradient(to left, var(--card) 40%, transparent) 100% 0 / 2rem 100% no-repeat local,
            linear-gradient(to right, #0003, transparent) 0 0 / .5rem 100% no-repeat scroll,
            linear-gradient(to left, #0003, transparent) 100% 0 / .5rem 100% no-repeat scroll }
        table { border-collapse: collapse; width: 100%; font-size: .875rem; font-variant-numeric: tabular-nums }
        caption { text-align: left; color: var(--quiet); font-size: .8125rem; padding-bottom: .375rem;
          max-width: 60rem }
        th, td { text-align: left; padding: .4375rem .75rem .4375rem 0; border-top: 1px solid var(--line);
          vertical-align: top }
        thead th { border-top: 0; color: var(--quiet); font-weight: 500; white-space: nowrap }
        tbody th { font-weight: 600 }
        tr > :last-child { padding-right: 0 }
        .number { text-align: right; white-space: nowrap; padding-right: 1.5rem }
        .name { overflow-wrap: break-word }
        .said { overflow-wrap: anywhere; min-width: 12rem; max-width: 24rem }
        .when { white-space: nowrap }
        tr.here > * { background: var(--accent-tint) }
        tr.here > :first-child { box-shadow: inset 3px 0 0 var(--accent); padding-left: .625rem }
        .matrix td, .matrix th { vertical-align: middle }
        .matrix tr > :first-child { position: sticky; left: -.25rem; background: var(--card) }
        .matrix thead .architecture { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono",
          monospace }
        .cell { display: inline-block; min-width: 6.25rem; padding: .1875rem .5rem; border-radius: 6px;
          font-size: .8125rem; line-height: 1.35; white-space: nowrap; background: var(--idle-tint);
          color: var(--idle) }
        .cell small { display: block; font-size: .75rem; font-weight: 500 }
        .cell.plain { background: none; color: var(--quiet) }
        .cell.good { background: var(--good-tint); color: var(--good) }
        .cell.warn { background: var(--warn-tint); color: var(--warn); font-weight: 600 }
        .cell.bad { background: var(--bad-tint); color: var(--bad) }
        .tag { display: inline-block; margin-left: .375rem; padding: 0 .4375rem; border-radius: 99px; font-size: .75rem;
          line-height: 1.25rem; font-weight: 500; background: var(--accent-tint); color: var(--accent);
          white-space: nowrap }
        .tag.bad { background: var(--bad-tint); color: var(--bad) }
        .legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; font-size: .8125rem;
          color: var(--quiet) }
        .legend .cell { min-width: 0; padding-block: 0; margin-right: .25rem }
        .swatch { display: inline-block; width: .75rem; height: .75rem; border-radius: 3px; margin-right: .375rem;
          vertical-align: -1px }

        .wanted { list-style: none; display: grid; gap: .875rem }
        .wanted > li + li { border-top: 1px solid var(--line); padding-top: .875rem }
        .line { display: flex; gap: .5rem; align-items: flex-start; margin-top: .375rem }
        .line code { flex: 1; min-width: 0; overflow-wrap: anywhere; background: var(--idle-tint); border-radius: 6px;
          padding: .375rem .625rem; user-select: all }
        .line button { flex: none; min-width: 5.25rem }

        .chart svg { display: block; width: 100%; overflow: visible }
        .chart text { font: .75rem system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
          fill: var(--quiet); font-variant-numeric: tabular-nums }
        .chart .grid { stroke: var(--line); stroke-width: 1; shape-rendering: crispEdges }
        .s0 { fill: var(--s0); background: var(--s0) } .s1 { fill: var(--s1); background: var(--s1) }
        .s2 { fill: var(--s2); background: var(--s2) } .s3 { fill: var(--s3); background: var(--s3) }
        .s4 { fill: var(--s4); background: var(--s4) } .s5 { fill: var(--s5); background: var(--s5) }
        .s6 { fill: var(--s6); background: var(--s6) }
        .chart rect.bar:hover { opacity: .75 }
        .rate { display: inline-grid; grid-template-columns: 4.5rem 3.25rem; align-items: center; gap: .5rem }
        .rate svg { display: block; width: 4.5rem; height: .5rem }
        .rate .track { fill: var(--idle-tint) } .rate .part { fill: var(--s0) } .rate .part.low { fill: var(--s1) }
        details > summary { cursor: pointer; color: var(--link); font-size: .8125rem; width: fit-content }
        details[open] > summary { margin-bottom: .5rem }
        details .scroll { max-height: 20rem; overflow-y: auto }
        .facts { display: grid; gap: .75rem 2rem;
          grid-template-columns: repeat(auto-fit, minmax(min(9.5rem, 100%), 1fr)) }
        .facts dt { color: var(--quiet); font-size: .8125rem } .facts dd { overflow-wrap: anywhere }

        @media (min-width: 64rem) { .pair { grid-template-columns: repeat(2, minmax(0, 1fr)) } }
        @media (max-width: 40rem) {
          .bar, main, footer { padding-inline: .75rem }
          .card { padding: .875rem .875rem 1rem }
          .top { position: static }
          .figure dd { font-size: 1.25rem }
          .figures { grid-template-columns: repeat(2, minmax(0, 1fr)) }
          table { width: max-content; min-width: 100%; max-width: 56rem }
          caption { max-width: calc(100vw - 3.5rem) }
          .line { flex-direction: column } .line code { align-self: stretch } .line button { min-height: 2.5rem }
        }
        @media (forced-colors: active) { .cell, .pill, .tag { border: 1px solid }
          .swatch { forced-color-adjust: none } }
        @media print { .top { position: static } .controls { display: none } }
        """#
}
