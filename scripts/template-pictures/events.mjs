import {
  at,
  chance,
  circle,
  drawing,
  hills,
  lantern,
  oval,
  path,
  peaks,
  rect,
  ripples,
  sky,
  stroke,
  times,
  tree,
} from './kit.mjs'

const size = { width: 800, height: 1100 }
/** Returns a poster: a drawing, and bars in place of its text. */
const poster = (background, ink, content) =>
  drawing(
    [
      background,
      content,
      rect(70, 950, 420, 34, ink, { rx: 8 }),
      rect(70, 1004, 260, 18, ink, { rx: 8, opacity: 0.6 }),
      rect(560, 950, 170, 74, 'none', { rx: 12, stroke: ink, strokeWidth: 8 }),
    ],
    size,
  )

const fiddle = (x, y, scale, color, turn) =>
  at(
    x,
    y,
    [
      oval(0, 70, 86, 100, color),
      oval(0, -40, 66, 76, color),
      rect(-40, -10, 80, 60, color),
      rect(-11, -330, 22, 330, '#3b2a22', { rx: 6 }),
      circle(0, -340, 20, '#3b2a22'),
      stroke('M-5 -310 V120 M5 -310 V120', '#e8dcc6', 3),
      stroke('M-38 20 Q-56 50 -38 84 M38 20 Q56 50 38 84', '#3b2a22', 7),
      rect(-30, 110, 60, 14, '#3b2a22'),
    ],
    { scale, turn },
  )

const leaf = (x, y, turn, scale, fill) =>
  at(
    x,
    y,
    [
      path('M0 140 C -80 80 -70 -60 0 -140 C 70 -60 80 80 0 140Z', fill),
      stroke('M0 130 V-110 M0 60 L-40 20 M0 60 L40 20 M0 0 L-40 -40 M0 0 L40 -40', '#ffffff', 6, {
        opacity: 0.5,
      }),
    ],
    { turn, scale },
  )

const stars = (count, seed) => {
  const next = chance(seed)
  return times(count, () =>
    circle((next() * 800).toFixed(), (next() * 600).toFixed(), (1.5 + next() * 3).toFixed(1), '#fff6d8', {
      opacity: 0.8,
    }),
  )
}

export const events = {
  lanterns: drawing([
    sky('#35406a', '#e79a72'),
    circle(930, 420, 70, '#ffd9a0', { opacity: 0.7 }),
    peaks(
      [
        [80, 420],
        [300, 340],
        [560, 430],
        [820, 360],
        [1100, 430],
      ],
      560,
      '#5a4a6e',
    ),
    hills(540, 14, '#43395a', { shift: 3 }),
    rect(0, 560, 1200, 240, '#594f78'),
    ripples(580, 210, '#f2b184', { seed: 12, count: 34 }),
    tree(90, 620, 2, '#2e2a45', '#241f38'),
    tree(1120, 620, 2.2, '#2e2a45', '#241f38'),
    stroke('M-20 150 Q300 300 620 170 Q900 60 1220 190', '#241f38', 5),
    ...[
      [100, 236],
      [250, 290],
      [400, 296],
      [550, 246],
      [700, 190],
      [850, 160],
      [1000, 164],
      [1140, 196],
    ].map(([x, y], index) => lantern(x, y + 40, 1.05, index % 2 ? '#e8663f' : '#f0a03c')),
    ...[200, 330, 480, 640, 790].map((x, index) =>
      at(
        x,
        700,
        [
          circle(0, -104, 22, '#241f38'),
          path(
            `M-32 0 C -36 -110 36 -110 32 0Z`,
            ['#241f38', '#2f2848', '#241f38', '#3a3054', '#241f38'][index],
          ),
        ],
        { scale: 0.9 + (index % 3) * 0.12 },
      ),
    ),
    rect(0, 696, 1200, 110, '#2b2542'),
  ]),
  'poster-market': poster(sky('#2c3566', '#d9785c', size), '#ffe7b8', [
    stars(40, 5),
    stroke('M-20 120 Q240 250 420 150 Q620 50 830 160', '#1c2145', 5),
    lantern(120, 240, 1.2),
    lantern(310, 250, 1.2, '#f0a03c'),
    lantern(490, 190, 1.2),
    lantern(680, 170, 1.2, '#f0a03c'),
    ...[
      [60, '#d9534f'],
      [430, '#3f8f8a'],
    ].map(([x, fill]) =>
      at(x, 560, [
        rect(0, 100, 310, 220, '#4a3447'),
        ...[0, 1, 2, 3, 4].map((index) =>
          path(`M${index * 62} 0 h62 v86 q-31 40 -62 0Z`, index % 2 ? '#fff3dc' : fill),
        ),
        rect(0, 210, 310, 110, '#7a5747'),
        ...[50, 120, 190, 260].map((across, index) =>
          circle(across, 200, 28, ['#f2c14e', '#e8853f', '#fbe2b0', '#d9534f'][index]),
        ),
      ]),
    ),
    rect(0, 880, 800, 10, '#1c2145'),
  ]),
  'poster-dye': poster(rect(0, 0, 800, 1100, '#f3eee0'), '#2f5a4e', [
    rect(150, 90, 500, 780, '#cfe0cf', { rx: 10 }),
    rect(150, 90, 500, 120, '#3e7a6a'),
    rect(150, 750, 500, 120, '#3e7a6a'),
    leaf(300, 360, -24, 1, '#3e7a6a'),
    leaf(500, 340, 18, 1.05, '#6d9a4f'),
    leaf(400, 560, 0, 1.2, '#2f5a4e'),
    leaf(270, 620, -50, 0.7, '#8fb257'),
    leaf(540, 620, 48, 0.7, '#a3b86a'),
    stroke('M120 90 H680', '#8a6a4a', 18),
  ]),
  'poster-trio': poster(sky('#f4b183', '#f7dcb0', size), '#5a2f2a', [
    circle(400, 420, 250, '#fff0cf'),
    circle(400, 420, 250, '#e8743f', { opacity: 0.4 }),
    hills(720, 30, '#c98a63', { width: 800 }),
    fiddle(210, 600, 0.9, '#a0512c', -12),
    fiddle(600, 600, 0.98, '#7d3d25', 12),
    fiddle(400, 620, 1.25, '#b9653a', 0),
  ]),
  'poster-river': poster(rect(0, 0, 800, 1100, '#efe6cf'), '#2f4a5c', [
    times(12, (index) => rect(60, 90 + index * 70, 680, 3, '#d8cba9')),
    times(11, (index) => rect(70 + index * 66, 70, 3, 800, '#d8cba9')),
    stroke('M180 60 C 120 260 460 240 420 420 C 380 600 640 560 600 880', '#d9cfb2', 90),
    stroke('M300 60 C 220 260 560 260 520 440 C 470 620 260 620 330 880', '#5f9ab5', 74),
    stroke('M300 60 C 220 260 560 260 520 440 C 470 620 260 620 330 880', '#8fc0d3', 30),
    ...[
      [180, 420],
      [620, 300],
      [640, 660],
      [180, 700],
      [560, 160],
    ].map(([x, y], index) =>
      at(x, y, [
        rect(-34, -20, 68, 50, ['#c0573f', '#e2b24e', '#7d9a6b', '#c0573f', '#7d9a6b'][index]),
        path('M-44 -20 L0 -60 L44 -20Z', '#6d5548'),
      ]),
    ),
    at(430, 470, [
      path('M0 0 C -60 -80 -50 -140 0 -140 C 50 -140 60 -80 0 0Z', '#c0392b'),
      circle(0, -92, 20, '#ffffff'),
    ]),
  ]),
  'poster-knife': poster(rect(0, 0, 800, 1100, '#d9e2e0'), '#33424c', [
    at(
      400,
      430,
      [
        path('M-330 40 L210 -60 L210 60 C 100 110 -160 110 -330 40Z', '#eef2f3'),
        path('M-330 40 C -160 110 100 110 210 60 L210 40 C 90 86 -160 84 -330 40Z', '#b9c4c8'),
        rect(200, -66, 200, 84, '#7a5440', { rx: 20 }),
        circle(260, -26, 9, '#e8dcc6'),
        circle(340, -26, 9, '#e8dcc6'),
      ],
      { turn: -24 },
    ),
    at(400, 740, [
      rect(-330, 70, 660, 46, '#b58a5c', { rx: 12 }),
      circle(-60, 0, 96, '#d8402f'),
      circle(-96, -36, 20, '#ffffff', { opacity: 0.35 }),
      path('M-60 -96 l-40 -16 l34 0 l6 -26 l10 26 l36 0 l-38 18Z', '#5d8a45'),
      oval(150, 20, 60, 86, '#d8402f'),
      oval(150, 20, 46, 70, '#f0836b'),
      ...[
        [136, -6],
        [164, -2],
        [140, 36],
        [166, 40],
      ].map(([x, y]) => oval(x, y, 8, 13, '#f9d58a')),
    ]),
  ]),
  'poster-moon': poster(sky('#17213f', '#44557f', size), '#f6e9c0', [
    stars(70, 8),
    circle(420, 340, 190, '#f7e8b8'),
    circle(360, 300, 30, '#e9d69b'),
    circle(480, 400, 44, '#e9d69b'),
    circle(470, 270, 18, '#e9d69b'),
    rect(-20, 420, 500, 30, '#44557f', { rx: 15, opacity: 0.75 }),
    rect(480, 250, 400, 24, '#2d3b63', { rx: 12, opacity: 0.7 }),
    hills(760, 36, '#22304f', { width: 800, shift: 1 }),
    hills(840, 20, '#182340', { width: 800, shift: 2.6 }),
    ...[
      [250, 770],
      [330, 764],
      [540, 780],
      [610, 786],
    ].map(([x, y], index) =>
      at(x, y, [circle(0, -84, 20, '#0f172c'), path('M-40 0 C -40 -90 40 -90 40 0Z', '#0f172c')], {
        scale: index === 1 ? 0.8 : 1,
      }),
    ),
    ...[90, 120, 150, 690, 720].map(
      (x, index) =>
        stroke(`M${x} 860 q-10 -90 ${index % 2 ? 26 : -20} -170`, '#c9b878', 6) +
        oval(x + (index % 2 ? 30 : -24), 680, 9, 40, '#e8d9a0'),
    ),
  ]),
}
