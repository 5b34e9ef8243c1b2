/** A region in pixels of the rotated picture. */
export interface Region {
  left: number
  top: number
  width: number
  height: number
}

export interface Size {
  width: number
  height: number
}

export type Turn = 0 | 90 | 180 | 270

/** The edges that a handle moves: `n` or `s`, `w` or `e`, or one of each. An empty string moves the whole region. */
export type Handle = '' | 'n' | 's' | 'w' | 'e' | 'nw' | 'ne' | 'sw' | 'se'
export const handles: readonly Exclude<Handle, ''>[] = ['nw', 'n', 'ne', 'e', 'se', 's', 'sw', 'w']

/** Returns the picture's size after rotation. */
export const turnedSize = ({ width, height }: Size, turn: Turn): Size =>
  turn % 180 === 0 ? { width, height } : { width: height, height: width }

export const whole = ({ width, height }: Size): Region => ({ left: 0, top: 0, width, height })

export const isWhole = (region: Region, size: Size): boolean =>
  region.width === size.width && region.height === size.height

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))

/** Rounds a region to whole pixels inside the picture. Its sides are at least one pixel. */
export function fitted(region: Region, size: Size): Region {
  const width = clamp(Math.round(region.width), 1, size.width)
  const height = clamp(Math.round(region.height), 1, size.height)
  return {
    width,
    height,
    left: clamp(Math.round(region.left), 0, size.width - width),
    top: clamp(Math.round(region.top), 0, size.height - height),
  }
}

/** Returns the largest centred region with an aspect ratio (width divided by height). */
export function largest(size: Size, shape: number): Region {
  const width = Math.min(size.width, size.height * shape)
  const height = width / shape
  return fitted({ left: (size.width - width) / 2, top: (size.height - height) / 2, width, height }, size)
}

/**
 * Returns the region after a handle has moved by `x` and `y` pixels, kept inside the picture. The edge or corner
 * opposite the handle stays in place. With a fixed aspect ratio (`shape`), the other dimension follows.
 */
export function dragged(
  region: Region,
  handle: Handle,
  { x, y }: { x: number; y: number },
  size: Size,
  shape: number | null,
): Region {
  if (handle === '') return fitted({ ...region, left: region.left + x, top: region.top + y }, size)
  const right = region.left + region.width
  const bottom = region.top + region.height
  const west = handle.includes('w')
  const north = handle.includes('n')
  /** The maximum size of the region, measured from the edges that stay. */
  const room = {
    width: west ? right : size.width - region.left,
    height: north ? bottom : size.height - region.top,
  }
  let { width, height } = region
  if (handle.includes('e')) width += x
  if (west) width -= x
  if (handle.includes('s')) height += y
  if (north) height -= y
  width = clamp(width, 1, room.width)
  height = clamp(height, 1, room.height)
  if (shape !== null) {
    if (handle === 'n' || handle === 's') width = height * shape
    else height = width / shape
    const factor = Math.min(1, room.width / width, room.height / height)
    width *= factor
    height *= factor
  }
  return fitted(
    { left: west ? right - width : region.left, top: north ? bottom - height : region.top, width, height },
    size,
  )
}

/**
 * Returns the region after an arrow key: moved by a hundredth of the picture, at least one pixel. With `resize`
 * (Shift), its right or lower edge moves instead. undefined: not an arrow key.
 */
export function keyed(
  region: Region,
  key: string,
  resize: boolean,
  size: Size,
  shape: number | null,
): Region | undefined {
  const step = { x: Math.max(1, size.width / 100), y: Math.max(1, size.height / 100) }
  const by = {
    ArrowLeft: { x: -step.x, y: 0 },
    ArrowRight: { x: step.x, y: 0 },
    ArrowUp: { x: 0, y: -step.y },
    ArrowDown: { x: 0, y: step.y },
  }[key]
  if (!by) return undefined
  const corner = by.x === 0 ? 's' : 'e'
  return dragged(region, resize ? corner : '', by, size, shape)
}
