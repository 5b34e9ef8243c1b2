/*
 * Shapes for the pictures. The functions return pieces of SVG, except for `chance` and `drawing`. Lengths refer to a
 * picture of 1200 × 800.
 */

const attributes = (given) =>
  Object.entries(given)
    .map(([name, value]) => ` ${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}="${value}"`)
    .join('')

export const rect = (x, y, width, height, fill, more = {}) =>
  `<rect${attributes({ x, y, width, height, fill, ...more })}/>`
export const circle = (cx, cy, r, fill, more = {}) => `<circle${attributes({ cx, cy, r, fill, ...more })}/>`
export const oval = (cx, cy, rx, ry, fill, more = {}) =>
  `<ellipse${attributes({ cx, cy, rx, ry, fill, ...more })}/>`
export const path = (d, fill, more = {}) => `<path${attributes({ d, fill, ...more })}/>`
/** Returns a line along a path. */
export const stroke = (d, color, width, more = {}) =>
  path(d, 'none', {
    stroke: color,
    strokeWidth: width,
    strokeLinecap: 'round',
    strokeLinejoin: 'round',
    ...more,
  })
export const at = (x, y, content, { scale = 1, turn = 0 } = {}) =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${scale})">${[content].flat().join('')}</g>`

/** Returns a generator of deterministic numbers between 0 and 1. */
export function chance(seed) {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296
    return state / 4294967296
  }
}
export const times = (count, make) => Array.from({ length: count }, (_, index) => make(index)).join('')

/** Returns a background with a vertical gradient. */
export function sky(from, to, { width = 1200, height = 800 } = {}) {
  const id = `sky${from.slice(1)}${to.slice(1)}`
  return `<defs><linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient></defs>${rect(0, 0, width, height, `url(#${id})`)}`
}

/** Returns wavy land down to the lower edge. */
export function hills(y, height, fill, { waves = 3, shift = 0, width = 1200, bottom = 1200 } = {}) {
  const points = Array.from({ length: 25 }, (_, index) => {
    const x = (width / 24) * index
    const at = (index / 24) * Math.PI * 2
    return [
      x,
      y -
        height * (0.6 * Math.sin(at * (waves / 2) + shift) + 0.4 * Math.sin(at * waves * 0.8 + shift * 2.3)),
    ]
  })
  return path(
    `M0 ${bottom} ${points.map(([x, top]) => `L${x.toFixed()} ${top.toFixed()}`).join(' ')} L${width} ${bottom}Z`,
    fill,
    {
      stroke: fill,
      strokeWidth: 30,
      strokeLinejoin: 'round',
    },
  )
}

/** Returns mountains with pointed tops. `points`: the tops as [x, y]. */
export const peaks = (points, base, fill) =>
  path(`M-50 ${base} ${points.map(([x, y]) => `L${x} ${y}`).join(' ')} L1250 ${base}Z`, fill, {
    stroke: fill,
    strokeWidth: 18,
    strokeLinejoin: 'round',
  })

/** Returns lines on water. */
export function ripples(y, height, color, { seed = 3, count = 14, width = 1200 } = {}) {
  const next = chance(seed)
  return times(count, () => {
    const long = 40 + next() * 130
    const x = next() * width - long / 2
    const down = y + next() * height
    return rect(x.toFixed(), down.toFixed(), long.toFixed(), 5, color, { rx: 3, opacity: 0.5 })
  })
}

export const cloud = (x, y, scale, fill = '#ffffff', opacity = 0.8) =>
  at(
    x,
    y,
    `<g opacity="${opacity}">${rect(-90, -10, 180, 44, fill, { rx: 22 })}${circle(-30, -12, 38, fill)}${circle(26, -24, 50, fill)}</g>`,
    { scale },
  )

export const tree = (x, y, scale, leaves, trunk = '#6f5341') =>
  at(
    x,
    y,
    [
      rect(-9, -90, 18, 92, trunk, { rx: 6 }),
      circle(0, -150, 76, leaves),
      circle(-46, -112, 50, leaves),
      circle(48, -108, 46, leaves),
      circle(22, -174, 40, '#ffffff', { opacity: 0.13 }),
    ],
    { scale },
  )
export const pine = (x, y, scale, leaves, trunk = '#5e4838') =>
  at(
    x,
    y,
    [
      rect(-7, -34, 14, 36, trunk),
      path('M0 -210 L58 -110 L-58 -110Z', leaves),
      path('M0 -160 L72 -62 L-72 -62Z', leaves),
      path('M0 -110 L84 -18 L-84 -18Z', leaves),
    ],
    { scale },
  )

export const shade = (x, y, rx, ry = rx / 6) => oval(x, y, rx, ry, '#1b2430', { opacity: 0.14 })

export const steam = (x, y, scale = 1, color = '#ffffff') =>
  at(
    x,
    y,
    [-46, 0, 46].map((across, index) =>
      stroke(
        `M${across} 0 C ${across - 34} -34 ${across + 34} -66 ${across} -${100 + (index % 2) * 34}`,
        color,
        11,
        { opacity: 0.6 },
      ),
    ),
    { scale },
  )

/** Returns a table top along the lower edge, seen from the front. */
export const table = (y, top, front = top, { width = 1200, height = 800 } = {}) =>
  rect(0, y, width, height - y, front) + rect(0, y, width, 16, top)

/** Returns a sheet with lines of writing. */
export const paper = (x, y, width, height, { turn = 0, lines = 5, fill = '#fffdf8', ink = '#c9c2b4' } = {}) =>
  at(
    x,
    y,
    [
      rect(-width / 2 + 8, -height / 2 + 10, width, height, '#1b2430', { opacity: 0.1, rx: 6 }),
      rect(-width / 2, -height / 2, width, height, fill, { rx: 6 }),
      times(lines, (index) =>
        rect(
          -width / 2 + width * 0.12,
          -height / 2 + (height / (lines + 1)) * (index + 0.8),
          width * (index % 3 === 2 ? 0.5 : 0.74),
          Math.max(5, height * 0.022),
          ink,
          { rx: 4 },
        ),
      ),
    ],
    { turn },
  )

/** Returns the backs of books between two edges. */
export function books(x, y, width, height, colors, seed = 7) {
  const next = chance(seed)
  let made = ''
  for (let left = x, index = 0; left < x + width - 20; index++) {
    const wide = Math.min(26 + next() * 30, x + width - left)
    const tall = height * (0.7 + next() * 0.3)
    const fill = colors[index % colors.length]
    made += rect(left.toFixed(), (y - tall).toFixed(), (wide - 3).toFixed(), tall.toFixed(), fill, { rx: 3 })
    made += rect(left.toFixed(), (y - tall * 0.82).toFixed(), (wide - 3).toFixed(), 7, '#fffaf0', {
      opacity: 0.6,
    })
    left += wide
  }
  return made
}

export const lantern = (x, y, scale, color = '#e8663f', glow = '#ffd98a') =>
  at(
    x,
    y,
    [
      circle(0, 0, 96, glow, { opacity: 0.18 }),
      stroke('M0 -74 L0 -52', '#3d3440', 4),
      oval(0, 0, 42, 52, color),
      oval(0, 4, 22, 44, glow, { opacity: 0.55 }),
      rect(-20, -56, 40, 9, '#3d3440', { rx: 3 }),
      rect(-20, 47, 40, 9, '#3d3440', { rx: 3 }),
    ],
    { scale },
  )

/** Returns a window pane with a cross, lit or dark by `fill`. */
export const pane = (x, y, width, height, fill, frame = '#ffffff') =>
  rect(x, y, width, height, fill, { rx: 4, stroke: frame, strokeWidth: 6 }) +
  rect(x + width / 2 - 2.5, y, 5, height, frame) +
  rect(x, y + height / 2 - 2.5, width, 5, frame)

/** Returns a picture with its SVG and its size. */
export const drawing = (content, { width = 1200, height = 800 } = {}) => ({
  svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${[content].flat(9).join('')}</svg>`,
  width,
  height,
})
