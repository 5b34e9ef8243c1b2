import sharp from 'sharp'

/** Returns a PNG of four colours: red and green in the upper half, blue and white in the lower half. */
export async function quadrants(width: number, height: number): Promise<Buffer> {
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) }
  const part = (left: number, top: number, background: string) => ({
    input: { create: { ...half, channels: 3 as const, background } },
    left: left * Math.floor(width / 2),
    top: top * Math.floor(height / 2),
  })
  return sharp({ create: { width, height, channels: 3, background: 'red' } })
    .composite([part(1, 0, 'lime'), part(0, 1, 'blue'), part(1, 1, 'white')])
    .png()
    .toBuffer()
}

const colors: Record<string, [number, number, number]> = {
  red: [255, 0, 0],
  green: [0, 255, 0],
  blue: [0, 0, 255],
  white: [255, 255, 255],
  black: [0, 0, 0],
}

/** Returns the colour of one pixel by name, or its numbers if it matches none. */
export async function colorAt(picture: Uint8Array, x: number, y: number): Promise<string> {
  const { data } = await sharp(picture)
    .extract({ left: x, top: y, width: 1, height: 1 })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const isNear = (color: number[]) => color.every((value, index) => Math.abs(value - (data[index] ?? 0)) < 60)
  return Object.entries(colors).find(([, color]) => isNear(color))?.[0] ?? [...data].join()
}
