import {
  at,
  books,
  chance,
  circle,
  cloud,
  drawing,
  hills,
  oval,
  pane,
  paper,
  path,
  peaks,
  rect,
  ripples,
  shade,
  sky,
  stroke,
  table,
  times,
  tree,
} from './kit.mjs'

const library = (wall, roof, window, frame) => [
  rect(330, 360, 540, 260, wall),
  path('M290 370 L600 200 L910 370Z', roof),
  circle(600, 310, 34, window, { stroke: frame, strokeWidth: 8 }),
  ...[370, 470, 680, 780].map((x) => pane(x, 420, 66, 120, window, frame)),
  rect(560, 440, 80, 180, '#6d4a36', { rx: 6 }),
  rect(540, 612, 120, 14, '#cbb89a'),
]
const bubble = (x, y, width, height, fill, turned = false) =>
  at(x, y, [
    rect(0, 0, width, height, fill, { rx: 24 }),
    path(
      turned ? `M${width - 70} ${height - 4} l50 40 l-6 -44Z` : `M40 ${height - 4} l-10 44 l60 -44Z`,
      fill,
    ),
    rect(30, height * 0.3, width - 90, 14, '#ffffff', { rx: 7, opacity: 0.8 }),
    rect(30, height * 0.56, width * 0.5, 14, '#ffffff', { rx: 7, opacity: 0.8 }),
  ])
const bird = (x, y, scale, body, belly, flip = 1) =>
  at(
    x,
    y,
    `<g transform="scale(${flip} 1)">${[path('M-90 10 C -90 -70 20 -110 70 -50 C 100 -50 110 -36 128 -26 L96 -18 C 90 50 10 76 -40 50 L-150 70Z', body), path('M-50 30 C -20 60 60 50 84 -6 C 60 20 -10 10 -50 30Z', belly), circle(66, -40, 8, '#1d1b1a'), stroke('M-10 56 v34 M20 54 v36', '#8a5a38', 6)].join('')}</g>`,
    { scale },
  )
const screen = (x, y, width, height, inside) =>
  at(x, y, [
    rect(10, 14, width, height, '#1b2430', { rx: 24, opacity: 0.12 }),
    rect(0, 0, width, height, '#fffdf8', { rx: 24 }),
    path(`M0 60 V24 A24 24 0 0 1 24 0 H${width - 24} A24 24 0 0 1 ${width} 24 V60Z`, '#4f6f83'),
    ...[36, 66, 96].map((left, index) => circle(left, 30, 9, ['#e2836b', '#f0c66b', '#8fb98a'][index])),
    inside,
  ])

export const publications = {
  news: {
    library: drawing([
      sky('#c5e0ea', '#f5f0e0'),
      cloud(200, 140, 1),
      cloud(1010, 110, 0.8),
      hills(560, 20, '#a8c492', { shift: 1 }),
      library('#f2e6cf', '#c0573f', '#a9cbd8', '#fffaf0'),
      rect(0, 620, 1200, 180, '#9dbb7e'),
      path('M560 620 H640 L760 800 H440Z', '#e6d6b4'),
      tree(150, 690, 2.1, '#6b9a5e'),
      tree(1040, 690, 2.3, '#5f8f58'),
      tree(290, 650, 1.1, '#84ad68'),
      tree(930, 650, 1.1, '#84ad68'),
    ]),
    evening: drawing([
      sky('#22305a', '#51608c'),
      circle(960, 150, 52, '#f6e7bd'),
      times(40, (index) => {
        const next = chance(index + 90)
        next()
        return circle((next() * 1200).toFixed(), (next() * 380).toFixed(), 3, '#f6e7bd')
      }),
      hills(560, 20, '#2d3d5c', { shift: 1 }),
      library('#5d5a6b', '#4a3448', '#ffd98a', '#3f3c50'),
      rect(0, 620, 1200, 180, '#263552'),
      path('M380 620 L340 800 H860 L820 620Z', '#ffd98a', { opacity: 0.14 }),
      tree(150, 690, 2.1, '#2c4256', '#22304a'),
      tree(1040, 690, 2.3, '#2c4256', '#22304a'),
      at(720, 640, [
        rect(-5, -150, 10, 150, '#1b2540'),
        circle(0, -160, 26, '#ffe6ad'),
        circle(0, -160, 70, '#ffe6ad', { opacity: 0.2 }),
      ]),
    ]),
    'story-time': drawing([
      rect(0, 0, 1200, 800, '#f3e3d3'),
      oval(600, 660, 480, 110, '#d9857a'),
      oval(600, 654, 400, 84, '#e8a79b'),
      path('M600 600 C 500 520 300 520 180 580 L180 340 C 300 290 500 300 600 370Z', '#fffaf0'),
      path('M600 600 C 700 520 900 520 1020 580 L1020 340 C 900 290 700 300 600 370Z', '#fdf3e0'),
      stroke('M600 370 V600', '#d9c8a8', 8),
      path(
        'M180 580 C 300 520 500 520 600 600 C 700 520 900 520 1020 580 L1020 604 C 900 548 700 550 600 626 C 500 550 300 548 180 604Z',
        '#3f7f93',
      ),
      at(
        400,
        250,
        [
          path(
            'M-130 40 C -120 -90 120 -90 130 40 C 100 20 70 20 44 40 C 20 20 -20 20 -44 40 C -70 20 -100 20 -130 40Z',
            '#e2a33b',
          ),
          rect(-5, -70, 10, 220, '#5a4536', { rx: 5 }),
        ],
        { turn: -10 },
      ),
      at(
        760,
        210,
        [
          path(
            'M-130 40 C -120 -90 120 -90 130 40 C 100 20 70 20 44 40 C 20 20 -20 20 -44 40 C -70 20 -100 20 -130 40Z',
            '#c8503f',
          ),
          rect(-5, -70, 10, 220, '#5a4536', { rx: 5 }),
        ],
        { turn: 12 },
      ),
      times(18, (index) =>
        path(
          `M${220 + ((index * 131) % 780)} ${80 + ((index * 61) % 240)} q-14 26 0 34 q14 -8 0 -34`,
          '#7fb2c9',
        ),
      ),
    ]),
    'new-books': drawing([
      rect(0, 0, 1200, 800, '#e9dfcd'),
      ...[270, 510, 750].map((y, index) => [
        books(
          120,
          y,
          960,
          180,
          [
            ['#c0573f', '#e2b24e', '#3f7f93', '#f4ead6', '#6d8a5c'],
            ['#7a5a8c', '#d9857a', '#4f6f83', '#e8c98a'],
            ['#5d8a6b', '#b5653f', '#efe2c6', '#35506a', '#d9a04a'],
          ][index],
          11 + index * 5,
        ),
        rect(90, y, 1020, 22, '#9c7448', { rx: 4 }),
      ]),
      rect(70, 60, 24, 740, '#8a6440'),
      rect(1106, 60, 24, 740, '#8a6440'),
      rect(70, 50, 1060, 26, '#8a6440'),
    ]),
    repair: drawing([
      rect(0, 0, 1200, 800, '#b9936a'),
      times(8, (index) => rect(0, index * 104, 1200, 3, '#a8835b')),
      at(
        520,
        400,
        [
          path('M0 190 C -90 140 -240 140 -320 180 L-320 -150 C -240 -190 -90 -190 0 -140Z', '#fffaf0'),
          path('M0 190 C 90 140 240 140 320 180 L320 -150 C 240 -190 90 -190 0 -140Z', '#fbf2df'),
          times(
            5,
            (row) =>
              rect(-280, -100 + row * 52, 220, 9, '#d3c6ab', { rx: 4 }) +
              rect(60, -100 + row * 52, row === 4 ? 120 : 220, 9, '#d3c6ab', { rx: 4 }),
          ),
          stroke('M0 -140 V190', '#c0573f', 9, { strokeDasharray: '22 18' }),
        ],
        { turn: -5 },
      ),
      at(970, 300, [
        circle(0, 0, 74, '#f0e2c6'),
        circle(0, 0, 54, '#c0573f'),
        circle(0, 0, 18, '#8a3a2c'),
        stroke('M54 10 C 140 60 40 140 -60 180', '#c0573f', 5),
      ]),
      at(960, 600, [
        stroke('M-120 -60 L70 40 M-120 40 L70 -60', '#dfe4e8', 18),
        circle(100, 60, 38, 'none', { stroke: '#35506a', strokeWidth: 16 }),
        circle(100, -80, 38, 'none', { stroke: '#35506a', strokeWidth: 16 }),
        circle(-25, -10, 9, '#8a9299'),
      ]),
    ]),
  },
  portfolio: {
    desk: drawing([
      rect(0, 0, 1200, 800, '#dcd3c6'),
      pane(330, 60, 540, 400, '#bfdde6', '#fffaf0'),
      cloud(520, 190, 0.7),
      path('M336 456 L336 400 C 480 330 620 420 864 360 L864 456Z', '#8fb08a'),
      table(600, '#a8743f', '#8f5f33'),
      paper(560, 650, 420, 200, { turn: -4, lines: 0 }),
      at(
        560,
        650,
        [
          path('M-120 40 C -60 -60 20 60 110 -40', 'none', { stroke: '#3f7f93', strokeWidth: 14 }),
          circle(90, 30, 26, '#e2836b'),
        ],
        { turn: -4 },
      ),
      at(960, 600, [
        rect(-60, -130, 120, 140, '#7d9aa6', { rx: 12 }),
        ...[
          [-34, -230, '#c0573f'],
          [-4, -260, '#e2b24e'],
          [30, -220, '#3f7f93'],
        ].map(
          ([x, y, tip]) =>
            rect(x - 6, y, 12, 140, '#b98552') + path(`M${x - 12} ${y + 4} q12 -60 24 0Z`, tip),
        ),
      ]),
      at(240, 640, [
        oval(0, 0, 150, 70, '#efe6d6'),
        ...[
          [-80, -16, '#c0573f'],
          [-30, -40, '#e2b24e'],
          [36, -38, '#6d8a5c'],
          [84, -6, '#3f7f93'],
          [-60, 30, '#8a6fae'],
        ].map(([x, y, fill]) => circle(x, y, 24, fill)),
        circle(40, 24, 20, '#8f5f33'),
      ]),
    ]),
    tide: drawing([
      rect(0, 0, 1200, 800, '#f4ecdd'),
      rect(250, 60, 700, 680, '#fffdf8', { rx: 8 }),
      times(12, (row) =>
        stroke(
          `M290 ${130 + row * 50} ${times(24, (index) => `q13 ${(index % 2 ? 1 : -1) * (12 + 22 * Math.abs(Math.sin((index + row * 3) / 4)))} 26 0 `)}`,
          ['#1f5673', '#2f7a96', '#5fa3b5'][row % 3],
          7,
        ),
      ),
    ]),
    'night-train': drawing([
      sky('#1d2747', '#4a4f7d'),
      circle(880, 180, 82, '#f6e7bd'),
      circle(912, 160, 76, '#2b3558', { opacity: 0.35 }),
      peaks(
        [
          [80, 470],
          [300, 340],
          [520, 470],
          [760, 380],
          [1040, 480],
        ],
        640,
        '#2d3560',
      ),
      rect(0, 620, 1200, 180, '#161d36'),
      rect(0, 612, 1200, 8, '#6d6a86'),
      ...[90, 360, 630].map((x) =>
        at(x, 612, [
          rect(0, -120, 250, 104, '#8a3f3a', { rx: 14 }),
          rect(0, -70, 250, 10, '#d9b06a'),
          ...[20, 76, 132, 188].map((left) => rect(left, -106, 42, 32, '#ffe1a0', { rx: 5 })),
          circle(56, -8, 20, '#0f1528'),
          circle(194, -8, 20, '#0f1528'),
        ]),
      ),
      at(900, 612, [
        path('M0 -16 V-100 H120 C 200 -100 220 -60 220 -16Z', '#5a2f38'),
        rect(24, -150, 80, 60, '#5a2f38', { rx: 8 }),
        rect(150, -140, 30, 44, '#3a2028'),
        rect(40, -136, 46, 34, '#ffe1a0', { rx: 5 }),
        circle(60, -8, 24, '#0f1528'),
        circle(160, -8, 24, '#0f1528'),
        path('M214 -50 L330 -90 L330 0Z', '#ffe1a0', { opacity: 0.3 }),
      ]),
      ...[
        [1040, 420, 30],
        [980, 390, 40],
        [900, 370, 52],
      ].map(([x, y, r]) => circle(x, y, r, '#ffffff', { opacity: 0.2 })),
    ]),
    tea: drawing([
      rect(0, 0, 1200, 800, '#ece6d6'),
      table(660, '#c9ad86', '#b89a72'),
      ...[
        [190, '#8fa45a', '#c8d39a'],
        [460, '#5d7a4a', '#a3b98a'],
        [730, '#4a6a66', '#9fbab5'],
      ].map(([x, dark, light], index) =>
        at(x, 180, [
          shade(130, 490, 150, 18),
          rect(0, 0, 260, 480, '#fbf8ee', { rx: 8 }),
          path(
            `M0 480 V${320 - index * 50} C 70 ${220 - index * 60} 130 ${330 - index * 50} 260 ${230 - index * 50} V472 a8 8 0 0 1 -8 8Z`,
            light,
          ),
          path(
            `M0 480 V${400 - index * 40} C 90 ${330 - index * 50} 170 ${410 - index * 40} 260 ${340 - index * 50} V472 a8 8 0 0 1 -8 8Z`,
            dark,
          ),
          rect(0, 0, 260, 44, dark, { rx: 8 }),
          circle(130, 130, 46, dark),
          rect(124, 104, 12, 52, '#fbf8ee', { rx: 6 }),
        ]),
      ),
    ]),
    swim: drawing([
      rect(0, 0, 1200, 800, '#f1ede2'),
      rect(360, 40, 480, 720, '#bfe6ea'),
      rect(360, 430, 480, 330, '#2aa7b8'),
      ripples(460, 270, '#dff6f7', { seed: 5, count: 0 }),
      times(9, (index) =>
        stroke(
          `M${390 + (index % 3) * 150} ${500 + Math.floor(index / 3) * 90} q24 -18 48 0 t48 0`,
          '#bfe6ea',
          8,
        ),
      ),
      rect(360, 400, 480, 46, '#fdf6e6'),
      at(600, 400, [
        path('M-60 0 C -70 -150 70 -150 60 0Z', '#e8663f'),
        circle(0, -180, 52, '#f0c9a4'),
        path('M-54 -186 C -56 -260 56 -260 54 -186Z', '#f2c14e'),
        stroke('M-40 -10 L-50 130', '#f0c9a4', 26),
        stroke('M40 -10 L44 140', '#f0c9a4', 26),
        stroke('M-54 -70 L-96 0 M54 -70 L96 0', '#f0c9a4', 20),
      ]),
      circle(760, 140, 52, '#f7d774'),
    ]),
    wall: drawing([
      rect(0, 0, 1200, 800, '#f0dfb8'),
      rect(0, 690, 1200, 110, '#c9a77a'),
      tree(600, 690, 3.2, '#6d9a5c', '#8a5f3c'),
      circle(1010, 150, 70, '#e2a33b'),
      at(250, 640, [
        oval(0, 0, 90, 60, '#c97f4a'),
        circle(80, -60, 44, '#c97f4a'),
        path('M56 -90 L50 -140 L84 -100Z M96 -100 L120 -140 L116 -86Z', '#c97f4a'),
        circle(94, -66, 7, '#2b2420'),
        path('M-84 0 C -160 -20 -150 -100 -120 -110 C -120 -60 -90 -40 -60 -30Z', '#e0995f'),
      ]),
      at(920, 650, [
        oval(0, 0, 70, 56, '#8f9aa3'),
        circle(-56, -50, 36, '#8f9aa3'),
        oval(-70, -116, 13, 44, '#8f9aa3'),
        oval(-42, -118, 13, 44, '#8f9aa3'),
        circle(-68, -54, 6, '#2b2420'),
        circle(70, 0, 20, '#ffffff'),
      ]),
      bird(430, 250, 0.7, '#c0573f', '#f4d9a8'),
      bird(820, 330, 0.6, '#3f7f93', '#e6f0ea', -1),
      ...[
        [120, 720],
        [420, 730],
        [780, 724],
        [1080, 732],
      ].map(
        ([x, y], index) =>
          stroke(`M${x} ${y} v-50`, '#5d8a45', 7) +
          circle(x, y - 62, 20, ['#e2836b', '#f2c14e', '#8a6fae', '#e2836b'][index]),
      ),
    ]),
    birds: drawing([
      rect(0, 0, 1200, 800, '#e3ebe6'),
      circle(900, 200, 90, '#f7ead0'),
      stroke('M-20 560 C 300 480 700 620 1220 470', '#7a5a44', 24),
      stroke('M300 520 C 340 460 380 430 440 410 M860 556 C 900 620 960 660 1020 670', '#7a5a44', 14),
      ...[
        [420, 400, -30],
        [470, 420, 40],
        [1020, 660, 20],
        [960, 640, 80],
        [180, 500, -50],
      ].map(([x, y, turn]) =>
        at(x, y, path('M0 0 C 20 -40 60 -40 76 0 C 50 24 20 20 0 0Z', '#8fb08a'), { turn }),
      ),
      bird(330, 440, 1.1, '#b5533c', '#f3d6b0'),
      bird(640, 470, 1.2, '#4f6f83', '#f2efe2', -1),
      bird(930, 430, 0.9, '#8a8a4f', '#f4e7b8'),
    ]),
  },
  docs: {
    manual: drawing([
      rect(0, 0, 1200, 800, '#d6e3ea'),
      circle(600, 420, 340, '#ffffff', { opacity: 0.45 }),
      path('M600 650 C 500 590 330 590 210 630 L210 290 C 330 250 500 260 600 320Z', '#fffdf8'),
      path('M600 650 C 700 590 870 590 990 630 L990 290 C 870 250 700 260 600 320Z', '#f8f4ea'),
      times(5, (row) => rect(270, 360 + row * 48, row % 2 ? 200 : 260, 13, '#c9d3d8', { rx: 6 })),
      rect(670, 370, 250, 120, '#a9cbd8', { rx: 10 }),
      path('M670 480 L750 420 L810 470 L850 440 L920 490 L670 490Z', '#6d9a8a'),
      rect(670, 520, 220, 13, '#c9d3d8', { rx: 6 }),
      rect(670, 560, 160, 13, '#c9d3d8', { rx: 6 }),
      path(
        'M210 630 C 330 590 500 590 600 650 C 700 590 870 590 990 630 L990 654 C 870 614 700 616 600 676 C 500 616 330 614 210 654Z',
        '#35688a',
      ),
      bubble(180, 110, 260, 130, '#e2836b'),
      bubble(740, 80, 280, 130, '#6d9a7c', true),
    ]),
    board: drawing([
      rect(0, 0, 1200, 800, '#e6e9e0'),
      screen(200, 90, 800, 620, [
        times(5, (row) =>
          at(40, 100 + row * 98, [
            rect(0, 0, 720, 80, '#f1f4f3', { rx: 14 }),
            circle(46, 40, 20, ['#6fae7c', '#6fae7c', '#e9c15a', '#e9c15a', '#ffffff'][row], {
              stroke: '#b9c4c0',
              strokeWidth: row === 4 ? 5 : 0,
            }),
            rect(92, 20, [320, 260, 360, 220, 300][row], 16, '#5d6f78', { rx: 8 }),
            rect(92, 48, 200, 11, '#b9c4c8', { rx: 6 }),
            ...[0, 1, 2].map((face) =>
              circle(600 + face * 36, 40, 17, ['#f0c9a4', '#d9a57c', '#c9d8b4'][face]),
            ),
          ]),
        ),
      ]),
    ]),
    editor: drawing([
      rect(0, 0, 1200, 800, '#efe5da'),
      screen(200, 90, 800, 620, [
        rect(50, 110, 700, 66, '#f4f6f6', { rx: 12, stroke: '#9fb6c2', strokeWidth: 4 }),
        rect(76, 134, 260, 18, '#5d6f78', { rx: 9 }),
        rect(50, 206, 330, 66, '#f4f6f6', { rx: 12 }),
        rect(76, 230, 130, 18, '#9aa8ae', { rx: 9 }),
        rect(50, 302, 700, 210, '#f4f6f6', { rx: 12 }),
        times(4, (row) => rect(76, 334 + row * 42, row === 3 ? 240 : 600, 14, '#b9c4c8', { rx: 7 })),
        rect(590, 542, 160, 52, '#e0853f', { rx: 14 }),
        rect(626, 561, 88, 14, '#ffffff', { rx: 7 }),
      ]),
      at(
        1010,
        560,
        [rect(-16, -180, 32, 230, '#4f6f83', { rx: 6 }), path('M-16 50 L0 92 L16 50Z', '#f3d9ae')],
        { turn: 24 },
      ),
    ]),
    printer: drawing([
      rect(0, 0, 1200, 800, '#d9dfe6'),
      table(640, '#a9b3bb', '#98a3ac'),
      shade(600, 660, 340, 28),
      paper(600, 250, 360, 300, { lines: 6 }),
      rect(300, 340, 600, 220, '#f4f5f2', { rx: 30 }),
      rect(300, 340, 600, 76, '#4f6f83', { rx: 30 }),
      rect(300, 390, 600, 30, '#4f6f83'),
      circle(830, 470, 18, '#6fae7c'),
      circle(780, 470, 12, '#c9d0d2'),
      rect(370, 500, 460, 26, '#33414d', { rx: 13 }),
      path('M400 514 H800 L850 690 H350Z', '#fffdf8'),
      times(3, (row) => rect(430 - row * 8, 560 + row * 36, row === 2 ? 180 : 330, 12, '#c9c2b4', { rx: 6 })),
    ]),
  },
}
