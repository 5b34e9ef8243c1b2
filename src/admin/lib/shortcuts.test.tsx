import { cleanup, fireEvent, render } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { useShortcut } from './shortcuts.ts'

function Keys({ keys, run }: { keys: string; run: () => void }) {
  useShortcut(keys, 'test', run)
  return <input aria-label="text" />
}

afterEach(cleanup)

describe('useShortcut', () => {
  it('runs the shortcut mod+s while the component is mounted, but not for s alone or with Shift', () => {
    const run = vi.fn()
    const { unmount } = render(<Keys keys="mod+s" run={run} />)
    fireEvent.keyDown(document.body, { key: 's' })
    fireEvent.keyDown(document.body, { key: 's', ctrlKey: true, shiftKey: true })
    expect(run).not.toHaveBeenCalled()
    expect(fireEvent.keyDown(document.body, { key: 's', ctrlKey: true })).toBe(false)
    expect(run).toHaveBeenCalledTimes(1)
    unmount()
    fireEvent.keyDown(document.body, { key: 's', ctrlKey: true })
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('ignores keys that an input method handles', () => {
    const run = vi.fn()
    render(<Keys keys="mod+enter" run={run} />)
    fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true, isComposing: true })
    fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true, keyCode: 229 })
    expect(run).not.toHaveBeenCalled()
    fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true })
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('ignores the key of a shortcut without `mod` in a text input', () => {
    const run = vi.fn()
    const { getByLabelText } = render(<Keys keys="/" run={run} />)
    fireEvent.keyDown(getByLabelText('text'), { key: '/' })
    expect(run).not.toHaveBeenCalled()
    fireEvent.keyDown(document.body, { key: '/' })
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('runs only the shortcut that was registered last for the same keys', () => {
    const outer = vi.fn()
    const inner = vi.fn()
    render(
      <>
        <Keys keys="mod+s" run={outer} />
        <Keys keys="mod+s" run={inner} />
      </>,
    )
    fireEvent.keyDown(document.body, { key: 's', ctrlKey: true })
    expect(inner).toHaveBeenCalledTimes(1)
    expect(outer).not.toHaveBeenCalled()
  })
})
