/// The look of a report: light and dark, on a phone, on a wide screen and on paper.
enum ReportStyle {
    static let source = palette + text + tables + charts + schema + paper

    private static let palette = """

        :root{color-scheme:light dark;--paper:#fbfbfa;--panel:#fff;--ink:#1c2024;--soft:#5d666f;--rule:#e2e5e8;
        --accent:#2b5c8a;--good:#1f7a46;--bad:#b3261e;--badsoft:#fcefed;--head:#f0f2f4;
        --c0:#3d6fa6;--c1:#cf8a2e;--c2:#4c9a8a;--c3:#96608f;--c4:#87963a;--c5:#c0604f;--c6:#667a94;--c7:#b7bec5}
        @media screen and (prefers-color-scheme:dark){:root{--paper:#121518;--panel:#1a1e22;--ink:#e4e7ea;--soft:#98a2ac;
        --rule:#2d343a;--accent:#82b4e3;--good:#67c08d;--bad:#f0877d;--badsoft:#2e1d1b;--head:#22282d;
        --c0:#6ea2d6;--c1:#dfa75a;--c2:#72bdae;--c3:#bd8bb5;--c4:#aebc62;--c5:#db8375;--c6:#8fa1b8;--c7:#565f68}}
        .c0{background:var(--c0);fill:var(--c0)}.c1{background:var(--c1);fill:var(--c1)}
        .c2{background:var(--c2);fill:var(--c2)}.c3{background:var(--c3);fill:var(--c3)}
        .c4{background:var(--c4);fill:var(--c4)}.c5{background:var(--c5);fill:var(--c5)}
        .c6{background:var(--c6);fill:var(--c6)}.c7{background:var(--c7);fill:var(--c7)}

        """

    private static let text = """
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
        body{margin:0 auto;padding:2.25rem 1.25rem 4rem;max-width:74rem;background:var(--paper);color:var(--ink);
        font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif}
        h1{font-size:1.7rem;line-height:1.2;margin:0;letter-spacing:-.01em;overflow-wrap:anywhere}
        h2{font-size:1.2rem;margin:0 0 .9rem;padding-top:1.6rem;border-top:1px solid var(--rule)}
        h3{font-size:.95rem;margin:1.6rem 0 .5rem}
        section{margin-top:2.2rem;scroll-margin-top:3rem}section:first-child h2{border-top:0;padding-top:0}
        p{margin:.5rem 0}.lead{font-size:1.05rem;margin:.6rem 0 .2rem;max-width:50rem}
        .faint,.empty{color:var(--soft)}header .faint,p.faint{font-size:.85rem;overflow-wrap:anywhere}
        a{color:var(--accent)}
        code,.id,.type,time{font-variant-numeric:tabular-nums}
        code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;
        font-size:.88em;overflow-wrap:anywhere}
        time{white-space:nowrap}.type{color:var(--soft)}
        .badge{display:inline-block;font-size:.75rem;font-weight:600;letter-spacing:.02em;padding:.15rem .55rem;
        border:1px solid currentColor;border-radius:1rem;color:var(--soft);vertical-align:.25rem;white-space:nowrap}
        .badge.good{color:var(--good)}.badge.bad{color:var(--bad)}
        .notice{margin:1.4rem 0;padding:.9rem 1.1rem;background:var(--badsoft);border-left:4px solid var(--bad);
        border-radius:.25rem;overflow-wrap:anywhere}.notice strong{color:var(--bad)}
        .notice ul{margin:.4rem 0;padding-left:1.2rem}.notice p{font-size:.9rem}
        nav{position:sticky;top:0;z-index:1;display:flex;gap:1.1rem;margin:1.4rem -1.25rem 0;padding:.6rem 1.25rem;
        overflow-x:auto;background:var(--paper);border-bottom:1px solid var(--rule);font-size:.9rem}
        nav a{text-decoration:none;white-space:nowrap}nav a:hover{text-decoration:underline}
        footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--rule);font-size:.85rem}
        dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.35rem 1.5rem;margin:0}
        dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
        .damages{padding-left:1.2rem;overflow-wrap:anywhere}
        @media (min-width:100rem){body{max-width:88rem}}
        @media (max-width:32rem){nav{gap:.8rem;font-size:.85rem}body{padding-top:1.4rem}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.7rem}}

        """

    private static let tables = """
        .scroll{overflow-x:auto;-webkit-overflow-scrolling:touch;
        background:linear-gradient(to right,var(--paper) 30%,transparent) left/2.5rem 100% no-repeat local,
        linear-gradient(to left,var(--paper) 30%,transparent) right/2.5rem 100% no-repeat local,
        linear-gradient(to right,var(--rule),transparent) left/.7rem 100% no-repeat scroll,
        linear-gradient(to left,var(--rule),transparent) right/.7rem 100% no-repeat scroll}
        table{border-collapse:collapse;width:100%;font-size:.88rem;font-variant-numeric:tabular-nums}
        th,td{padding:.38rem .9rem .38rem 0;text-align:left;white-space:nowrap;vertical-align:baseline}
        th:last-child,td:last-child{padding-right:.2rem}
        th{font-weight:500;font-size:.8rem;color:var(--soft);border-bottom:1px solid var(--rule)}
        tbody tr+tr td{border-top:1px solid color-mix(in srgb,var(--rule) 55%,transparent)}
        .n{text-align:right}
        .name{display:inline-block;max-width:26rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;
        vertical-align:bottom}
        td .id{max-width:17rem}
        .key{display:inline-block;width:.7rem;height:.7rem;border-radius:.15rem;margin-right:.5rem;
        -webkit-print-color-adjust:exact;print-color-adjust:exact}
        .columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr));gap:0 3rem}
        .columns>div{min-width:0}
        .search{display:flex;flex-wrap:wrap;align-items:center;gap:.6rem;margin-bottom:.6rem}
        .search input{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--rule);
        border-radius:.3rem;padding:.35rem .6rem;width:min(22rem,100%)}
        .search input:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
        #label-list{max-height:34rem;overflow-y:auto}
        .paper{display:none}
        #label-list thead th{position:sticky;top:0;background:var(--paper)}
        .types details{border-top:1px solid var(--rule)}.types summary{padding:.4rem 0;cursor:pointer}
        .types details[open]{padding-bottom:.8rem}
        @media (max-width:32rem){th,td{padding-right:.65rem}.name{max-width:15rem}td .id{max-width:8rem}}

        """

    private static let charts = """
        .legend{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;list-style:none;margin:.4rem 0 .8rem;padding:0;
        font-size:.85rem;color:var(--soft)}
        .legend li{display:flex;align-items:center;min-width:0;max-width:100%}
        .bar{display:flex;height:1.05rem;min-width:14rem}
        .bar i{display:block;height:100%;min-width:1px;-webkit-print-color-adjust:exact;print-color-adjust:exact}
        .files .wide{width:60%}.files td:first-child{padding-right:1.2rem}
        .problem{color:var(--bad);white-space:normal;font-size:.85rem}
        .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),1fr));gap:1.2rem 2.5rem}
        .chart{margin:.4rem 0 .6rem;min-width:0}figcaption{font-size:.9rem;font-weight:500;margin-bottom:.5rem}
        figcaption .faint{font-weight:400}
        .plot{display:grid;grid-template-columns:3.4rem 1fr;grid-template-rows:auto 1.5rem}
        .plot svg{display:block;overflow:visible;-webkit-print-color-adjust:exact;print-color-adjust:exact}
        .axis-y,.axis-x{position:relative;font-size:.72rem;color:var(--soft);font-variant-numeric:tabular-nums}
        .axis-y span{position:absolute;right:.55rem;transform:translateY(-50%);line-height:1}
        .axis-x{grid-column:2}
        .axis-x span{position:absolute;top:.35rem;transform:translateX(-50%);white-space:nowrap;line-height:1.2}
        .axis-x .first{transform:none}.axis-x .last{transform:translateX(-100%)}
        .grid{stroke:var(--rule)}
        .spark{display:block;width:6rem;height:1.4rem}.spark polyline{fill:none;stroke:var(--c0);stroke-width:1.4;
        vector-effect:non-scaling-stroke}.spark polygon{fill:var(--c0);opacity:.14}
        .sparkcell{padding-top:0;padding-bottom:0;vertical-align:middle}
        .tabs>input{position:absolute;opacity:0}
        .tabs>label{display:inline-block;padding:.25rem .8rem;margin:0 .3rem .8rem 0;border:1px solid var(--rule);
        border-radius:1rem;font-size:.85rem;cursor:pointer}
        .tabs>input:checked+label{background:var(--head);border-color:var(--soft)}
        .tabs>input:focus-visible+label{outline:2px solid var(--accent);outline-offset:1px}
        .panel{display:none}
        #by-label:checked~.panel-label,#by-author:checked~.panel-author,#by-scope:checked~.panel-scope{display:block}
        @media (max-width:32rem){.axis-x .minor{display:none}.plot{grid-template-columns:2.6rem 1fr}
        .bar{min-width:4rem}.files{font-size:.8rem}.files th{white-space:normal}.files th,.files td,.files td:first-child{padding-right:.45rem}}

        """

    private static let schema = """
        .drawing.scroll{border:1px solid var(--rule);border-radius:.4rem;background:var(--panel)}
        .drawing svg{display:block;margin:0 auto}
        .drawing text{font:11px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;
        fill:var(--ink)}
        .drawing text.title{font:600 13px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
        .drawing text.of,.drawing text.more{fill:var(--soft)}.drawing text.of{text-anchor:end}
        .drawing text.relation{fill:var(--accent)}
        .box rect{fill:var(--panel);stroke:var(--c7)}.box .head{fill:var(--head)}
        .line path,.legend.lines path,.legend.lines circle,marker path,marker circle{fill:none;stroke:var(--soft);
        stroke-width:1.3}
        marker circle,.legend.lines circle{fill:var(--panel)}
        .line.cascade path,.legend.lines .cascade{stroke-width:2.4}
        .line.deny path,.legend.lines .deny{stroke-dasharray:6 4}.line.deleted path{stroke-dasharray:2 3}
        .line:hover path{stroke:var(--accent)}
        .legend.lines svg{margin-right:.4rem}

        """

    private static let paper = """
        @media print{:root{color-scheme:light;--paper:#fff;--panel:#fff;--ink:#000;--soft:#4a5158;--rule:#d4d8dc;--head:#f0f2f4;
        --badsoft:#fff}
        body{max-width:none;padding:0;font-size:10pt}nav,.search,.tabs>label{display:none}
        section{break-inside:auto;margin-top:1.2rem}h2,h3{break-after:avoid}
        .chart,.legend,tr,.box,.notice{break-inside:avoid}
        .charts{display:block}.tabs>input{display:none}
        .scroll,#label-list{overflow:visible;max-height:none;background:none}
        .panel,.paper{display:block}details::details-content{content-visibility:visible}
        .types summary{list-style:none}.types summary::-webkit-details-marker{display:none}
        .types{columns:17rem 3;column-gap:2rem}.types details{break-inside:avoid}
        .drawing.scroll{border:0}#schema:has(.wide){page:wide}
        @page wide{size:A4 landscape;margin:10mm}.drawing svg{max-width:100%;height:auto;max-height:24cm}.drawing.wide svg{max-height:14.5cm}
        table{font-size:8.5pt}th,td{padding-right:.6rem}.name{max-width:16rem}.bar{min-width:8rem}
        @page{margin:16mm 14mm}}

        """
}
