import { act, cleanup, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { Dialog } from './dialog.tsx'

afterEach(cleanup)

function Page({ keepButton }: { keepButton: boolean }) {
  const [open, setOpen] = useState(false)
  const [gone, setGone] = useState(false)
  return (
    <main id="main" tabIndex={-1}>
      {!gone && (
        <button type="button" onClick={() => setOpen(true)}>
          開く
        </button>
      )}
      {open && (
        <Dialog
          title="窓"
          onClose={() => {
            setOpen(false)
            setGone(!keepButton)
          }}
        >
          内容
        </Dialog>
      )}
    </main>
  )
}

it.each([
  ['to the button that opened it', true, 'BUTTON'],
  ['to the main part when that button is gone', false, 'MAIN'],
])('gives the focus back %s', async (_, keepButton, tag) => {
  await renderInAdmin(<Page keepButton={keepButton} />)
  const opener = screen.getByRole('button', { name: '開く' })
  act(() => {
    opener.focus()
    opener.click()
  })
  const close = screen.getByRole('button', { name: '閉じる' })
  act(() => {
    close.focus()
    close.click()
  })
  expect(screen.queryByRole('dialog')).toBeNull()
  await expect.poll(() => document.activeElement?.tagName).toBe(tag)
})
