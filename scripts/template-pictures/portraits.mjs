import { at, circle, drawing, oval, path, rect, stroke } from './kit.mjs'

const skins = { light: '#f4d3b8', warm: '#e9bd97', tan: '#d9a57c' }

/** Hair at the back of the head. */
const backs = {
  long: (hair) => path('M-138 -20 C -150 -190 150 -190 138 -20 L150 190 C 100 230 -100 230 -150 190Z', hair),
  bob: (hair) => path('M-142 -10 C -152 -190 152 -190 142 -10 L146 96 C 120 122 -120 122 -146 96Z', hair),
  bun: (hair) => circle(0, -196, 58, hair) + circle(0, -40, 136, hair),
  short: (hair) => circle(0, -44, 132, hair),
  curly: (hair) =>
    [
      [-104, -70],
      [-70, -134],
      [0, -164],
      [70, -134],
      [104, -70],
      [-124, -4],
      [124, -4],
    ]
      .map(([x, y]) => circle(x, y, 58, hair))
      .join(''),
  cap: (hair) => circle(0, -30, 128, hair),
  tail: (hair) =>
    circle(0, -44, 134, hair) + path('M96 -90 C 230 -80 220 120 150 170 C 178 70 150 0 96 -20Z', hair),
}

/** Hair in front of the head. */
const fringes = {
  long: (hair) =>
    path(
      'M-124 -20 C -120 -150 -30 -160 6 -120 C 40 -160 124 -140 124 -16 C 90 -50 40 -70 6 -104 C -30 -70 -90 -60 -124 -20Z',
      hair,
    ),
  bob: (hair) =>
    path(
      'M-126 0 C -126 -160 126 -160 126 0 C 110 -44 84 -62 60 -66 L-60 -66 C -84 -62 -110 -44 -126 0Z',
      hair,
    ),
  bun: (hair) => path('M-122 -30 C -110 -160 110 -160 122 -30 C 70 -90 -70 -90 -122 -30Z', hair),
  short: (hair) =>
    path(
      'M-124 -14 C -130 -150 -40 -176 60 -150 C 130 -130 128 -60 122 -14 C 110 -60 70 -84 20 -82 C -40 -80 -100 -70 -124 -14Z',
      hair,
    ),
  curly: (hair) =>
    [
      [-72, -98],
      [-22, -118],
      [34, -116],
      [80, -90],
    ]
      .map(([x, y]) => circle(x, y, 42, hair))
      .join(''),
  cap: (_hair, accent) =>
    path('M-132 -56 C -128 -182 128 -182 132 -56Z', accent) +
    rect(-140, -66, 280, 26, accent, { rx: 13 }) +
    path('M20 -44 C 120 -52 190 -40 200 -16 C 150 -26 90 -28 20 -24Z', accent),
  tail: (hair) => path('M-122 -20 C -126 -150 126 -160 124 -20 C 90 -80 0 -100 -122 -20Z', hair),
}

const extras = {
  glasses: () =>
    [-52, 52].map((x) => circle(x, -2, 34, 'none', { stroke: '#3a3533', strokeWidth: 7 })).join('') +
    stroke('M-18 -4 Q0 -14 18 -4', '#3a3533', 7),
  beard: (hair) =>
    path('M-112 20 C -104 150 104 150 112 20 C 84 66 40 58 0 58 C -40 58 -84 66 -112 20Z', hair),
  apron: (_hair, accent) => path('M-110 250 L-86 470 L86 470 L110 250 C 60 280 -60 280 -110 250Z', accent),
  scarf: (_hair, accent) =>
    path('M-100 132 C -50 180 50 180 100 132 L110 190 C 50 236 -50 236 -110 190Z', accent) +
    rect(30, 180, 52, 120, accent, { rx: 14 }),
  violin: () =>
    at(
      -150,
      250,
      [
        oval(0, 0, 70, 96, '#a0562c'),
        oval(0, -70, 52, 58, '#a0562c'),
        rect(-8, -250, 16, 220, '#3b2a22'),
        stroke('M-26 -30 Q-40 0 -26 30 M26 -30 Q40 0 26 30', '#3b2a22', 6),
      ],
      { turn: 28 },
    ),
  brush: () =>
    at(
      170,
      230,
      [
        rect(-7, -150, 14, 190, '#b98552', { rx: 7 }),
        rect(-12, -178, 24, 40, '#9aa0a6'),
        path('M-14 -178 Q0 -250 14 -178Z', '#b5533c'),
      ],
      { turn: 16 },
    ),
}

/** Returns a person from the chest up. */
export function portrait({
  background,
  skin = 'light',
  hair = '#3b2f2a',
  style,
  clothes,
  accent = '#ffffff',
  extra = [],
}) {
  const face = skins[skin]
  const more = extra.map((name) => [name, extras[name](hair, accent)])
  const of = (...names) =>
    more
      .filter(([name]) => names.includes(name))
      .map(([, drawn]) => drawn)
      .join('')
  const person = [
    backs[style](hair),
    path('M-250 520 C -250 260 -130 216 0 216 C 130 216 250 260 250 520Z', clothes),
    path('M-62 232 C -40 282 40 282 62 232 L40 120 L-40 120Z', face),
    path('M-52 196 C -20 214 20 214 52 196 L40 130 L-40 130Z', '#000000', { opacity: 0.08 }),
    of('apron', 'scarf'),
    path('M-118 -40 C -118 -140 118 -140 118 -40 C 122 80 70 152 0 152 C -70 152 -122 80 -118 -40Z', face),
    circle(-120, 14, 24, face) + circle(120, 14, 24, face),
    of('beard'),
    circle(-52, 0, 10, '#2e2624') + circle(52, 0, 10, '#2e2624'),
    stroke('M-74 -36 Q-52 -48 -32 -38 M32 -38 Q52 -48 74 -36', hair, 8),
    circle(-76, 46, 24, '#e88d76', { opacity: 0.32 }) + circle(76, 46, 24, '#e88d76', { opacity: 0.32 }),
    stroke('M0 16 Q10 36 -4 40', '#b9805c', 6),
    stroke('M-30 76 Q0 104 30 76', '#8f4a3c', 8),
    fringes[style](hair, accent),
    of('glasses', 'violin', 'brush'),
  ]
  const size = { width: 640, height: 640 }
  return drawing(
    [
      rect(0, 0, 640, 640, background),
      circle(320, 300, 270, '#ffffff', { opacity: 0.25 }),
      at(320, 320, person, { scale: 0.96 }),
    ],
    size,
  )
}

export const portraits = {
  blog: {
    hayase: { background: '#bcd6d8', style: 'bob', hair: '#2f2b2e', clothes: '#3f6470' },
    kawakami: {
      background: '#f2d9b8',
      style: 'bun',
      hair: '#5a3d2e',
      skin: 'warm',
      clothes: '#f7f0e4',
      accent: '#d4754e',
      extra: ['apron'],
    },
    nonomura: {
      background: '#cfd8bd',
      style: 'short',
      hair: '#453a33',
      skin: 'tan',
      clothes: '#5b6b4a',
      extra: ['beard'],
    },
  },
  corporate: {
    president: {
      background: '#cfdde8',
      style: 'bob',
      hair: '#77706c',
      clothes: '#24415e',
      extra: ['glasses'],
    },
  },
  landing: {
    rina: { background: '#fbe0d6', style: 'tail', hair: '#4a332b', clothes: '#7fb2a6' },
    ken: {
      background: '#dfe7c9',
      style: 'short',
      hair: '#2d2826',
      skin: 'warm',
      clothes: '#e0a23c',
      extra: ['glasses'],
    },
    chihiro: { background: '#e3dcef', style: 'long', hair: '#3a2c30', clothes: '#8a6fae' },
  },
  event: {
    mishima: {
      background: '#dfe6cd',
      style: 'long',
      hair: '#5b4334',
      skin: 'warm',
      clothes: '#3e6a6e',
      accent: '#d7b455',
      extra: ['scarf'],
    },
    tono: {
      background: '#e6dccb',
      style: 'short',
      hair: '#a39b93',
      clothes: '#6d5a48',
      extra: ['glasses', 'beard'],
    },
    sumida: { background: '#e8d2d6', style: 'bun', hair: '#2c2428', clothes: '#2c2f3f', extra: ['violin'] },
    kaji: {
      background: '#cdd5dc',
      style: 'cap',
      hair: '#2b2522',
      skin: 'tan',
      clothes: '#39485a',
      accent: '#b0472f',
    },
  },
  recruit: {
    ogawa: {
      background: '#ead9c0',
      style: 'cap',
      hair: '#3a2f29',
      skin: 'tan',
      clothes: '#7b5a3c',
      accent: '#56694f',
    },
    shiraishi: {
      background: '#d6e2e4',
      style: 'bob',
      hair: '#4b342a',
      clothes: '#f3efe7',
      accent: '#37697a',
      extra: ['scarf'],
    },
    mori: {
      background: '#e4dccf',
      style: 'curly',
      hair: '#3c2d27',
      skin: 'warm',
      clothes: '#a8563f',
      accent: '#efe4d0',
      extra: ['apron'],
    },
  },
  portfolio: {
    kaya: { background: '#f0d7c4', style: 'tail', hair: '#2f2a33', clothes: '#2f4a5c', extra: ['brush'] },
  },
}
