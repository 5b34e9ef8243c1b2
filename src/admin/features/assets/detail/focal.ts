export interface Point {
  x: number
  y: number
}

/** The default focal point. */
export const middle: Point = { x: 0.5, y: 0.5 }

const within = (value: number) => Math.min(1, Math.max(0, value))

/** Returns a point clamped to the picture, with coordinates rounded to three decimals. */
export const pointAt = (x: number, y: number): Point => ({
  x: Math.round(within(x) * 1000) / 1000,
  y: Math.round(within(y) * 1000) / 1000,
})

/**
 * Returns the point after an arrow key: moved by a hundredth of the picture, by a tenth with Shift (`far`). undefined:
 * another key.
 */
export function moved(point: Point, key: string, far: boolean): Point | undefined {
  const step = far ? 0.1 : 0.01
  switch (key) {
    case 'ArrowLeft':
      return pointAt(point.x - step, point.y)
    case 'ArrowRight':
      return pointAt(point.x + step, point.y)
    case 'ArrowUp':
      return pointAt(point.x, point.y - step)
    case 'ArrowDown':
      return pointAt(point.x, point.y + step)
    default:
      return undefined
  }
}

/**
 * Returns the `object-position` with which `object-fit: cover` shows the server's crop. The point is as close to the
 * centre as the edges allow. `picture` and `shape`: aspect ratios (width divided by height) of the picture and of the
 * frame.
 */
export function coverPosition(picture: number, shape: number, { x, y }: Point): string {
  // The picture's width divided by the frame's width, if both have the same height.
  const wider = picture / shape
  const part = (at: number, factor: number) =>
    factor <= 1 ? 50 : (Math.min(factor - 1, Math.max(0, at * factor - 0.5)) / (factor - 1)) * 100
  const percent = (value: number) => `${Math.round(value * 100) / 100}%`
  return `${percent(part(x, wider))} ${percent(part(y, 1 / wider))}`
}
