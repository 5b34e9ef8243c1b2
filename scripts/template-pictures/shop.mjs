import { at, circle, drawing, oval, path, rect, shade, steam, stroke, table } from './kit.mjs'

/** Returns a picture of an object on a table in front of a wall. */
const still = (wall, top, content, { size = { width: 1000, height: 1000 }, y = 700 } = {}) =>
  drawing(
    [
      rect(0, 0, 1000, 1000, wall),
      circle(500, 470, 360, '#ffffff', { opacity: 0.22 }),
      table(y, top, top, { width: 1000, height: 1000 }),
      rect(0, y, 1000, 14, '#ffffff', { opacity: 0.3 }),
      content,
    ],
    size,
  )

const cloth = (x, y, fill, stripe) =>
  at(x, y, [
    rect(-250, -90, 500, 190, fill, { rx: 26 }),
    ...[-60, -20, 40].map((down) => rect(-250, down, 500, 16, stripe)),
    path('M-250 70 Q0 120 250 70 L250 80 Q250 100 230 100 L-230 100 Q-250 100 -250 80Z', '#000000', {
      opacity: 0.07,
    }),
  ])
const wood = (x, y, fill, turn) =>
  at(
    x,
    y,
    [
      rect(-110, -70, 220, 140, fill, { rx: 16 }),
      stroke('M-80 -30 Q0 -60 80 -30 M-86 4 Q0 -30 86 4 M-80 38 Q0 14 80 38', '#8b5e3a', 6, { opacity: 0.5 }),
    ],
    { turn },
  )
const candle = (x, height, fill) =>
  at(x, 720, [
    rect(-34, -height, 68, height, fill, { rx: 12 }),
    rect(-34, -height, 18, height, '#ffffff', { rx: 9, opacity: 0.25 }),
    stroke(`M0 ${-height} v-22`, '#4b3b2f', 6),
    circle(0, -height - 52, 84, '#ffe1a0', { opacity: 0.25 }),
    path(
      `M0 ${-height - 106} C 34 ${-height - 60} 24 ${-height - 22} 0 ${-height - 20} C -24 ${-height - 22} -34 ${-height - 60} 0 ${-height - 106}Z`,
      '#f6a93b',
    ),
  ])

export const shop = {
  'shop-front': drawing([
    rect(0, 0, 1200, 800, '#f0e4d0'),
    rect(140, 90, 920, 620, '#7d9a8c'),
    rect(140, 90, 920, 70, '#5f7d70'),
    rect(430, 104, 340, 44, '#fbf3e0', { rx: 8 }),
    stroke('M500 126 H700', '#5f7d70', 10),
    rect(200, 270, 440, 330, '#fdf1d3'),
    rect(200, 270, 440, 330, 'none', { stroke: '#fffaf0', strokeWidth: 14 }),
    rect(700, 270, 280, 440, '#5a4536'),
    rect(724, 294, 232, 250, '#fbe6b8'),
    circle(940, 500, 10, '#e9c46a'),
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((index) =>
      path(`M${150 + index * 100} 160 h100 v80 q-50 50 -100 0Z`, index % 2 ? '#fffaf0' : '#d9714e'),
    ),
    rect(200, 440, 440, 10, '#c9a77a'),
    ...[250, 340, 430, 530].map((x, index) =>
      path(
        `M${x - 30} 440 v-${50 + index * 8} q30 -20 60 0 v${50 + index * 8}Z`,
        ['#d9857a', '#5f86a0', '#e2b24e', '#8fa56b'][index],
      ),
    ),
    ...[270, 400, 530].map((x, index) =>
      rect(x - 40, 500, 80, 90, ['#b98552', '#e6d3b0', '#c06a4a'][index], { rx: 10 }),
    ),
    rect(0, 700, 1200, 100, '#cbb89a'),
    at(110, 706, [
      path('M-50 0 L-40 -80 L40 -80 L50 0Z', '#c06a4a'),
      circle(0, -130, 62, '#6b9a5e'),
      circle(-40, -104, 36, '#7fae6b'),
    ]),
    at(1090, 706, [
      path('M-60 0 C -70 -90 70 -90 60 0Z', '#c79a5f'),
      stroke('M-54 -30 H54 M-58 -54 H58', '#a87b44', 6),
      ...[-30, 4, 34].map((x) => circle(x, -78, 28, '#e08a3c')),
    ]),
  ]),
  'linen-cloth': still('#dfe5df', '#c9a77c', [
    shade(500, 730, 300, 40),
    cloth(500, 620, '#f3ece0', '#5f7fa0'),
    cloth(500, 500, '#efe4cf', '#d8c6a2'),
  ]),
  'round-kettle': still('#c9d8d2', '#b98d63', [
    shade(500, 730, 290, 40),
    path(
      'M250 560 C 240 340 760 340 750 560 C 750 690 700 720 500 720 C 300 720 250 690 250 560Z',
      '#fbfaf5',
    ),
    path('M260 600 C 260 690 310 716 500 716 C 420 700 320 690 300 560Z', '#e4e2d8'),
    path('M730 520 C 800 500 800 420 850 390 L884 402 C 860 480 850 570 742 610Z', '#fbfaf5'),
    oval(500, 410, 140, 28, '#e9e6db'),
    circle(500, 372, 30, '#9c6b43'),
    stroke('M300 430 C 300 190 700 190 700 430', '#8a5f3c', 22),
    steam(900, 350, 0.8),
  ]),
  mug: still('#e9d9c8', '#8f6a4d', [
    shade(480, 730, 220, 36),
    stroke('M660 470 C 820 450 820 660 650 640', '#8ea7b3', 40),
    path('M290 410 L310 690 C 320 730 640 730 650 690 L670 410Z', '#9db6c1'),
    path('M290 410 L310 690 C 316 712 400 722 440 722 L400 410Z', '#b3c8d0'),
    oval(480, 410, 190, 44, '#c8d8de'),
    oval(480, 414, 166, 34, '#6a4632'),
    steam(480, 350, 1),
  ]),
  tray: still('#d8dfd0', '#e3cfae', [
    oval(500, 640, 420, 150, '#1b2430', { opacity: 0.12 }),
    oval(500, 620, 410, 150, '#a8743f'),
    oval(500, 608, 380, 128, '#c08a52'),
    stroke('M200 590 Q500 520 800 590 M190 630 Q500 570 810 630 M240 672 Q500 620 760 672', '#a8743f', 5, {
      opacity: 0.6,
    }),
    at(360, 560, [
      path('M-110 0 C -100 110 100 110 110 0Z', '#fbf7ee'),
      oval(0, 0, 110, 30, '#ffffff'),
      oval(0, -6, 88, 24, '#fdfdf8'),
      ...[-40, 0, 40, -20, 20].map((x, index) => circle(x, -14 - (index % 2) * 12, 22, '#fffef9')),
    ]),
    at(620, 560, [
      path('M-90 0 C -84 110 84 110 90 0Z', '#8b3f32'),
      oval(0, 0, 90, 24, '#6e2f26'),
      oval(0, 0, 70, 17, '#c98b4d'),
    ]),
    at(520, 670, [
      oval(0, 0, 100, 26, '#9fb8c4'),
      path('M-60 -6 C -30 -40 40 -36 66 -6 C 30 10 -30 10 -60 -6Z', '#e2935f'),
    ]),
  ]),
  camphor: still('#dcd6e2', '#d6bd97', [
    shade(500, 730, 320, 40),
    wood(360, 650, '#d0a06c', -4),
    wood(620, 650, '#c69160', 6),
    wood(490, 510, '#dbb07c', -10),
    stroke('M420 360 C 380 300 460 270 430 210 M520 340 C 480 280 560 250 530 190', '#7c9a78', 9, {
      opacity: 0.6,
    }),
    at(760, 690, path('M0 0 C 10 -80 90 -110 130 -110 C 130 -50 90 0 0 0Z', '#6f9a62')),
  ]),
  bag: still('#c7d6db', '#b89468', [
    shade(500, 740, 280, 36),
    stroke('M390 420 C 390 200 500 200 500 420', '#e3d3ae', 26),
    at(
      620,
      400,
      [
        rect(-20, -220, 34, 300, '#f4f4e6', { rx: 12 }),
        path('M-20 -200 L-60 -330 L-10 -230 L0 -360 L10 -230 L60 -320 L14 -200Z', '#6fa05a'),
      ],
      { turn: 14 },
    ),
    path('M270 400 L300 740 L700 740 L730 400Z', '#efe3c6'),
    path('M270 400 L300 740 L420 740 L400 400Z', '#f7eed8'),
    rect(270, 396, 460, 30, '#dccba2', { rx: 8 }),
    stroke('M400 426 L410 740 M600 426 L590 740', '#d9c79c', 22),
    stroke('M410 420 C 410 230 590 230 590 420', '#dccba2', 26),
    rect(440, 540, 120, 70, '#c96a4b', { rx: 8 }),
  ]),
  lamp: still('#34485a', '#8a5f3f', [
    path('M560 360 L260 706 L840 706Z', '#ffe9b0', { opacity: 0.35 }),
    shade(720, 716, 130, 22),
    rect(610, 690, 220, 28, '#e9e6de', { rx: 14 }),
    stroke('M720 690 L760 430 L600 270', '#e9e6de', 18),
    circle(760, 430, 20, '#cfcabd'),
    at(
      580,
      290,
      [
        path('M-120 110 C -110 -40 110 -40 120 110Z', '#f7f4ec'),
        oval(0, 110, 120, 26, '#fff3c9'),
        circle(0, 106, 26, '#ffffff'),
      ],
      { turn: 14 },
    ),
    at(400, 690, [
      rect(-120, -20, 240, 28, '#fffaf0', { rx: 4 }),
      rect(-120, -42, 240, 22, '#c0573f', { rx: 4 }),
      rect(-100, -64, 200, 22, '#3f7f93', { rx: 4 }),
    ]),
  ]),
  candle: still('#3d3440', '#7a5740', [
    shade(500, 736, 330, 36),
    circle(500, 430, 320, '#ffcf7a', { opacity: 0.12 }),
    candle(340, 240, '#e9b95a'),
    candle(500, 330, '#edc36b'),
    candle(660, 180, '#e4ad4a'),
    oval(500, 736, 300, 24, '#b98d5e'),
  ]),
}
