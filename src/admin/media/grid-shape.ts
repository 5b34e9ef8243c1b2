/** Number of tiles per row, and the row height in pixels including the gap below. */
export interface GridShape {
  columns: number
  rowHeight: number
}

const gap = 12
const lineHeight = 64
/** Height of the name and a line of details below the picture, in pixels. */
const wordsHeight = 54
/** Grids narrower than `below` have smaller tiles, so that two of them fit into a row. All values in pixels. */
const narrow = { below: 520, tile: 140 }
const wideTile = 176

/** Returns the shape for a width in pixels. */
export function gridShape(view: 'grid' | 'list', width: number): GridShape {
  if (view === 'list') return { columns: 1, rowHeight: lineHeight }
  const tile = width < narrow.below ? narrow.tile : wideTile
  const columns = Math.max(1, Math.floor((width + gap) / (tile + gap)))
  const size = Math.max(1, (width - (columns - 1) * gap) / columns)
  return { columns, rowHeight: Math.round(size * 0.75) + wordsHeight + gap }
}

/** Returns the index to which a key moves from `index`; undefined for other keys and for an empty list. */
export function arrowStep(
  key: string,
  index: number,
  { columns, page, count }: { columns: number; page: number; count: number },
): number | undefined {
  const last = count - 1
  if (last < 0) return undefined
  const within = (step: number) => Math.max(0, Math.min(last, step))
  switch (key) {
    case 'ArrowLeft':
      return within(index - 1)
    case 'ArrowRight':
      return within(index + 1)
    // Up in the first row and down in the last row do not move.
    case 'ArrowUp':
      return index - columns < 0 ? index : index - columns
    case 'ArrowDown':
      if (index + columns <= last) return index + columns
      return Math.floor(index / columns) < Math.floor(last / columns) ? last : index
    case 'PageUp':
      return within(index - page)
    case 'PageDown':
      return within(index + page)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return undefined
  }
}
