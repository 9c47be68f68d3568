"""Draws what a terminal shows, and figures as bars, as SVG. `Tools/pictures` uses it."""

import re
import unicodedata
from dataclasses import dataclass, replace
from html import escape

FONT = "ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', monospace"
# Browsers draw several spaces as one.
NO_BREAK = "\u00a0"
TEXT_FONT = "-apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


@dataclass(frozen=True)
class Theme:
    name: str
    background: str
    text: str
    faint: str
    line: str
    # The sixteen colours of a terminal.
    palette: tuple
    # Of the bars: ours, then the others.
    bars: tuple


LIGHT = Theme(
    "light", "#ffffff", "#1f2328", "#656d76", "#d0d7de",
    ("#24292f", "#cf222e", "#116329", "#7d5a00", "#0969da", "#8250df", "#1b7c83", "#6e7781",
     "#57606a", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#8c959f"),
    ("#0969da", "#8c959f", "#a8b0b8", "#bcc3ca", "#d0d7de"))
DARK = Theme(
    "dark", "#0d1117", "#e6edf3", "#8d96a0", "#30363d",
    ("#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
     "#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff"),
    ("#58a6ff", "#8b949e", "#6e7681", "#545d68", "#3d444d"))
THEMES = (LIGHT, DARK)


@dataclass(frozen=True)
class Style:
    foreground: str = ""
    background: str = ""
    bold: bool = False
    dim: bool = False
    underlined: bool = False
    reversed: bool = False


def colour(codes, theme):
    """The colour that `38;5;N` or `38;2;R;G;B` names, and how many codes it took."""
    if codes[:1] == [2]:
        return "#%02x%02x%02x" % tuple(codes[1:4]), 4
    number = codes[1]
    if number < 16:
        return theme.palette[number], 2
    if number >= 232:
        level = 8 + 10 * (number - 232)
        return "#%02x%02x%02x" % (level, level, level), 2
    levels = (0, 95, 135, 175, 215, 255)
    number -= 16
    return "#%02x%02x%02x" % (levels[number // 36], levels[number // 6 % 6], levels[number % 6]), 2


def styled(style, codes, theme):
    """The style behind an escape sequence."""
    while codes:
        code, codes = codes[0], codes[1:]
        if code == 0:
            style = Style()
        elif code in (1, 2, 4, 7):
            style = replace(style, **{{1: "bold", 2: "dim", 4: "underlined", 7: "reversed"}[code]: True})
        elif code == 22:
            style = replace(style, bold=False, dim=False)
        elif code in (24, 27):
            style = replace(style, **{"underlined" if code == 24 else "reversed": False})
        elif code in (38, 48):
            found, count = colour(codes, theme)
            style = replace(style, **{"foreground" if code == 38 else "background": found})
            codes = codes[count:]
        elif code in (39, 49):
            style = replace(style, **{"foreground" if code == 39 else "background": ""})
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style = replace(style, foreground=theme.palette[code - 30 if code < 90 else code - 82])
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style = replace(style, background=theme.palette[code - 40 if code < 100 else code - 92])
    return style


def cells(text):
    """How many cells of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text)


def runs(line, style, theme):
    """The pieces of a line of one style each, and the style behind the line."""
    found = []
    for part in re.split(r"(\x1b\[[\d;]*m)", line):
        if part.startswith("\x1b"):
            style = styled(style, [int(code or 0) for code in part[2:-1].split(";")], theme)
        elif part:
            found.append((part, style))
    return found, style


def terminal(captured, columns, theme, title):
    """An SVG of the lines that `tmux capture-pane -e` printed."""
    width, height, margin, bar = 8.4, 19, 16, 30
    lines = captured.rstrip("\n").split("\n")
    total = (columns * width + 2 * margin, len(lines) * height + 2 * margin + bar)
    drawn = []
    style = Style()
    for row, line in enumerate(lines):
        pieces, style = runs(line, style, theme)
        column = 0
        for text, look in pieces:
            drawn += piece(text, look, margin + column * width, bar + margin + row * height, width, height, theme)
            column += cells(text)
    dots = "".join(
        f'<circle cx="{margin + 2 + 18 * index}" cy="{bar / 2 + 3}" r="5" fill="{theme.line}"/>' for index in range(3))
    return svg(total, theme, [
        f'<rect x=".5" y=".5" width="{total[0] - 1:.1f}" height="{total[1] - 1}" rx="8" '
        f'fill="{theme.background}" stroke="{theme.line}"/>',
        dots,
        f'<text x="{total[0] / 2:.0f}" y="{bar / 2 + 7}" text-anchor="middle" font-size="12" fill="{theme.faint}" '
        f'font-family="{TEXT_FONT}">{escape(title)}</text>',
        f'<g font-family="{FONT}" font-size="14">', *drawn, "</g>"])


def piece(text, look, x, y, width, height, theme):
    foreground = look.foreground or (theme.faint if look.dim else theme.text)
    background = look.background
    if look.reversed:
        foreground, background = background or theme.background, foreground
    elif background and foreground == theme.palette[7]:
        # On a bar white is white, whatever it has to be on the page.
        foreground = "#ffffff"
    drawn = []
    length = cells(text) * width
    if background:
        drawn.append(f'<rect x="{x:.1f}" y="{y}" width="{length:.1f}" height="{height}" fill="{background}"/>')
    if text.strip():
        # What is before the first letter only moves it.
        lead = len(text) - len(text.lstrip(" "))
        shown = text.strip(" ")
        weight = ' font-weight="bold"' if look.bold else ""
        line = ' text-decoration="underline"' if look.underlined else ""
        drawn.append(
            f'<text x="{x + lead * width:.1f}" y="{y + 14}" textLength="{cells(shown) * width:.1f}" '
            f'lengthAdjust="spacingAndGlyphs" fill="{foreground}"{weight}{line}>{escape(shown).replace(" ", NO_BREAK)}</text>')
    return drawn


def bars(rows, engines, theme, title, note):
    """An SVG of bars: for each row its name, unit, and a value for each engine or None. Ours is the first engine."""
    line, gap, left, width = 15, 24, 330, 900
    room = width - left - 130
    y = 66
    drawn = [text(16, 30, title, theme.text, 17, "bold"), text(16, 50, note, theme.faint, 12)]
    for name, unit, values, is_less_better in rows:
        greatest = max(value for value in values if value is not None)
        drawn.append(text(16, y + line + 2, name, theme.text, 13, "bold"))
        drawn.append(text(16, y + 2 * line + 4, f"{unit}, {'less' if is_less_better else 'more'} is better", theme.faint, 11))
        for engine, value, fill in zip(engines, values, theme.bars):
            if value is None:
                continue
            length = max(room * value / greatest, 1)
            drawn.append(text(left - 8, y + 11, engine, theme.faint, 11, anchor="end"))
            drawn.append(f'<rect x="{left}" y="{y + 1}" width="{length:.1f}" height="{line - 3}" rx="2" fill="{fill}"/>')
            drawn.append(text(left + length + 6, y + 11, short(value), theme.text, 11))
            y += line
        y += gap
    return svg((width, y), theme, [
        f'<rect width="{width}" height="{y}" rx="8" fill="{theme.background}" stroke="{theme.line}"/>', *drawn])


def short(value):
    """A figure as people read it."""
    for limit, unit in ((1e6, " million"), (1e3, " thousand")):
        if value >= limit:
            return f"{value / limit:.3g}{unit}"
    return f"{value:.3g}"


def text(x, y, content, fill, size, weight="normal", anchor="start"):
    return (f'<text x="{x:.1f}" y="{y}" font-family="{TEXT_FONT}" font-size="{size}" font-weight="{weight}" '
            f'text-anchor="{anchor}" fill="{fill}">{escape(content)}</text>')


def svg(size, theme, content):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]:.0f}" height="{size[1]:.0f}" '
            f'viewBox="0 0 {size[0]:.0f} {size[1]:.0f}">\n' + "\n".join(content) + "\n</svg>\n")
