import { Select } from '@mantine/core'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { Dialog } from './dialog.tsx'
import { SideWindow } from './side-window.tsx'

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
  ['to the main element if the opening button no longer exists', false, 'MAIN'],
])('a closed dialog returns the focus %s', async (_, keepButton, tag) => {
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

/** A modal that contains a list of options, above a side window. */
function Stack() {
  const [open, setOpen] = useState({ side: true, dialog: true, inner: true })
  const close = (name: keyof typeof open) => () => setOpen((before) => ({ ...before, [name]: false }))
  return (
    <SideWindow opened={open.side} onClose={close('side')} title="横">
      {open.dialog && (
        <Dialog title="下" onClose={close('dialog')}>
          <Select label="種類" data={['日記']} />
          {open.inner && (
            <Dialog title="上" onClose={close('inner')}>
              内容
            </Dialog>
          )}
        </Dialog>
      )}
    </SideWindow>
  )
}

it('each press of Escape closes the topmost window, or an option list that is open in this window', async () => {
  await renderInAdmin(<Stack />)
  const shown = () => screen.queryAllByRole('dialog').map((dialog) => dialog.textContent?.[0])
  const press = () =>
    act(async () => void fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' }))
  await expect.poll(shown).toEqual(['横', '下', '上'])
  // An Escape that an input method handles closes nothing.
  fireEvent.keyDown(document.body, { key: 'Escape', keyCode: 229 })
  expect(shown()).toEqual(['横', '下', '上'])
  await press()
  await expect.poll(shown).toEqual(['横', '下'])
  const select = screen.getByRole('combobox', { name: '種類' })
  await act(async () => {
    select.focus()
    select.click()
  })
  await expect.poll(() => select.getAttribute('aria-expanded')).toBe('true')
  await press()
  expect(select.getAttribute('aria-expanded')).toBe('false')
  expect(shown()).toEqual(['横', '下'])
  await press()
  await expect.poll(shown).toEqual(['横'])
  await press()
  await expect.poll(shown).toEqual([])
})
