/// How the page looks, in light and in dark.
enum PageStyle {
    static let css = """
        :root { color-scheme: light dark; --ink: #1b2430; --faint: #5d6875; --line: #dde2e8;
          --paper: #f7f7f4; --card: #ffffff; --good: #1f8a5b; --bad: #c4542b; --even: #8a8f98;
          --varve: #0f766e; --sqlite: #3b6fb6; --lmdb: #8a5fb0; --rocksdb: #c07a1e; --leveldb: #b5476b;
          --limit: #9aa1ab }
        @media (prefers-color-scheme: dark) { :root { --ink: #e7eaee; --faint: #9aa4b0; --line: #2b333d;
          --paper: #10141a; --card: #181e26; --good: #46c08a; --bad: #ec8a5e; --even: #8d95a0;
          --varve: #2dd4bf; --sqlite: #74a7ec; --lmdb: #bb93e0; --rocksdb: #e6a94f; --leveldb: #e57f9f;
          --limit: #6c7580 } }
        * { box-sizing: border-box }
        body { margin: 0; background: var(--paper); color: var(--ink);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
          font-variant-numeric: tabular-nums }
        main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
        h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; letter-spacing: -.01em }
        h2 { font-size: 1.25rem; margin: 2.75rem 0 .75rem }
        p { margin: 0 0 .75rem } .lead { font-size: 1.05rem; max-width: 44rem }
        .machine, figcaption span { color: var(--faint); font-size: .85rem }
        .failures { color: var(--bad) }
        .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px;
          background: var(--card) }
        table { border-collapse: collapse; width: 100% }
        th { font-weight: 500; text-align: left } td { text-align: right; white-space: nowrap }
        thead th { color: var(--faint); font-size: .85rem; text-align: right; white-space: nowrap }
        th, td { padding: .4rem .75rem; border-top: 1px solid var(--line) }
        thead th, thead + tbody tr:first-child > * { border-top: 0 }
        .area th { font-size: .8rem; text-transform: uppercase; letter-spacing: .06em;
          color: var(--faint); padding-top: 1rem }
        .overview td { min-width: 5.5rem; font-weight: 600 }
        .overview td.ahead { background: color-mix(in srgb, var(--good) calc(var(--weight) * .42),
          transparent) }
        .overview td.behind { background: color-mix(in srgb, var(--bad) calc(var(--weight) * .6),
          transparent) }
        .overview td.none { color: var(--faint); font-weight: 400 }
        .overview td.strip, .overview th.strip { width: 34%; min-width: 12rem; padding: 0 1.6rem }
        .strip { position: relative }
        .strip span { position: absolute; inset: 0 1.6rem }
        .strip i { position: absolute; top: 0; bottom: 0; width: 1px; background: var(--line) }
        .strip i.one { background: var(--ink); opacity: .5 }
        .strip .scale i { background: none; top: .4rem; bottom: auto; width: auto; font-style: normal;
          font-weight: 400; transform: translateX(-50%) }
        .dot { display: inline-block; width: .65rem; height: .65rem; border-radius: 50%;
          background: var(--series) }
        thead .dot { margin-right: .35rem }
        .strip .dot { position: absolute; top: calc(50% - .33rem); margin-left: -.33rem; opacity: .9 }
        .facts th, .facts td { padding: .3rem 0; border-top: 1px solid var(--line) }
        .facts tr:first-child > * { border-top: 0 } .facts th { font-weight: 400 }
        .facts td { padding-left: 1rem; font-weight: 600 }
        .facts .unit { padding-left: .4rem; text-align: left; font-weight: 400; color: var(--faint) }
        .key { display: inline-block; padding: 0 .55rem; border-radius: 6px; font-size: .85rem;
          margin-right: .25rem }
        .key.ahead { background: color-mix(in srgb, var(--good) 30%, transparent) }
        .key.behind { background: color-mix(in srgb, var(--bad) 40%, transparent) }
        .key.even { border: 1px solid var(--line) }
        .key.line { padding: 0; margin-right: .9rem }
        .key.line::before { content: ""; display: inline-block; width: 1.2rem; height: 3px;
          border-radius: 2px; background: var(--series); margin-right: .4rem; vertical-align: middle }
        .varve { --series: var(--varve) } .sqlite { --series: var(--sqlite) }
        .lmdb { --series: var(--lmdb) } .rocksdb { --series: var(--rocksdb) }
        .leveldb { --series: var(--leveldb) } .limit { --series: var(--limit) }
        .cards, .charts { display: grid; gap: 1rem;
          grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)) }
        .charts { grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)) }
        .card { margin: 0; padding: .9rem 1rem 1rem; background: var(--card);
          border: 1px solid var(--line); border-radius: 10px }
        figcaption { margin-bottom: .6rem; line-height: 1.35 }
        figcaption strong { display: block; font-weight: 600 }
        .bars { display: grid; align-items: center; gap: .3rem .6rem;
          grid-template-columns: auto minmax(3rem, 1fr) auto auto }
        .engine { color: var(--faint); font-size: .9rem }
        .track { position: relative; height: .95rem }
        .track b { display: block; height: 100%; min-width: 2px; border-radius: 0 3px 3px 0;
          background: var(--series); opacity: .82 }
        .track b.varve { opacity: 1 }
        .track i { position: absolute; top: calc(50% - 1px); height: 2px; min-width: 2px;
          background: var(--ink); opacity: .55 }
        .number { text-align: right; white-space: nowrap }
        .ratio { text-align: right; font-weight: 600; font-size: .9rem; min-width: 3.4rem }
        .ratio.ahead { color: var(--good) } .ratio.behind { color: var(--bad) }
        .ratio.limit, .ratio.even { color: var(--even) }
        svg { display: block; width: 100%; height: auto }
        svg text { font-size: 11.5px; fill: var(--faint) }
        .grid { stroke: var(--line); stroke-width: 1 }
        g.line polyline { fill: none; stroke: var(--series); stroke-width: 2; stroke-linejoin: round }
        g.line.varve polyline { stroke-width: 3 } g.line circle { fill: var(--series) }
        .targets td:last-child { text-align: left }
        .verdict { font-weight: 600 } .verdict.reached, .verdict.met { color: var(--good) }
        .verdict.missed { color: var(--bad) }
        .verdict.short, .verdict.elsewhere { color: var(--faint); font-weight: 400 }
        @media (max-width: 40rem) { main { padding-top: 1.5rem } h1 { font-size: 1.6rem }
          th, td { padding: .35rem .4rem } .overview td { min-width: 0 }
          .overview { font-size: .82rem } .overview .dot { display: none }
          .overview td.strip, .overview th.strip { display: none }
          .targets th[scope=row] { min-width: 11rem } }
        """
}
