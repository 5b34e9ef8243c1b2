import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { type ReactNode, useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { type SortableLabels, SortableList } from './sortable.tsx'

afterEach(cleanup)

const labels: SortableLabels = {
  instructions: 'Space picks up',
  handle: (name) => `move ${name}`,
  pickedUp: (name, position, total) => `${name} picked up at ${position} of ${total}`,
  movedTo: (name, position, total) => `${name} at ${position} of ${total}`,
  dropped: (name, position) => `${name} dropped at ${position}`,
  cancelled: (name) => `${name} back`,
}

function Letters(): ReactNode {
  const [items, setItems] = useState<readonly string[]>(['a', 'b', 'c', 'd'])
  return (
    <SortableList
      items={items}
      getId={(item) => item}
      getName={(item) => item}
      onMove={(from, to) => setItems(items.toSpliced(from, 1).toSpliced(to, 0, items[from] ?? ''))}
      labels={labels}
      renderItem={(item, _, handle) => (
        <>
          {handle}
          {item}
        </>
      )}
    />
  )
}

const order = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent)
const said = () => screen.getByRole('status').textContent
/** Presses a key. The list attaches its listener for the next key after a short delay. */
async function press(target: Element, code: string) {
  await act(async () => {
    fireEvent.keyDown(target, { code })
    await new Promise((resolve) => setTimeout(resolve))
  })
}

// The test DOM has no layout, so the test would fail if positions were derived from coordinates.
it('the sortable list moves an item with the arrow keys, and announces each position', async () => {
  await renderInAdmin(<Letters />)
  const handle = screen.getByRole('button', { name: 'move b' })
  await press(handle, 'Space')
  expect(said()).toBe('b picked up at 2 of 4')
  await press(handle, 'ArrowDown')
  expect(said()).toBe('b at 3 of 4')
  await press(handle, 'ArrowDown')
  expect(said()).toBe('b at 4 of 4')
  await press(handle, 'ArrowDown')
  expect(said()).toBe('b at 4 of 4')
  await press(handle, 'ArrowUp')
  expect(said()).toBe('b at 3 of 4')
  await press(handle, 'Space')
  expect(said()).toBe('b dropped at 3')
  expect(order()).toEqual(['a', 'c', 'b', 'd'])
})

it('the sortable list keeps the order if a move is cancelled with Escape', async () => {
  await renderInAdmin(<Letters />)
  const handle = screen.getByRole('button', { name: 'move c' })
  await press(handle, 'Space')
  await press(handle, 'ArrowUp')
  await press(handle, 'ArrowUp')
  expect(said()).toBe('c at 1 of 4')
  await press(handle, 'Escape')
  expect([said(), order()]).toEqual(['c back', ['a', 'b', 'c', 'd']])
})
