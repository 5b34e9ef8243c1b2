import { expect, type Locator, type Page } from '@playwright/test'

/**
 * Types into the focused input as a Japanese input method does: it composes the reading, and Enter confirms the
 * conversion. A page that reacts to this Enter has a bug.
 */
export async function typeJapanese(page: Page, reading: string, text: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  for (let length = 1; length <= reading.length; length++)
    await session.send('Input.imeSetComposition', {
      text: reading.slice(0, length),
      selectionStart: length,
      selectionEnd: length,
    })
  await session.send('Input.imeSetComposition', {
    text,
    selectionStart: text.length,
    selectionEnd: text.length,
  })
  // While an input method composes, a page receives its keys with the code 229.
  const enter = { windowsVirtualKeyCode: 229, key: 'Process', code: 'Enter' }
  await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter })
  await session.send('Input.insertText', { text })
  await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter })
  await session.detach()
}

/** Starts composing a word and leaves it uncommitted. {@link typeJapanese} continues the composition. */
export async function beginJapanese(page: Page, reading: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Input.imeSetComposition', {
    text: reading,
    selectionStart: reading.length,
    selectionEnd: reading.length,
  })
  await session.detach()
}

/** The parts of ProseMirror's view that show whether it has pending input or changes to draw. */
interface View {
  composing: boolean
  docView: { dirty: number }
  domObserver: { queue: unknown[] }
  input: { compositionNodes: unknown[] }
}

/** Waits until a rich-text editor has processed the last composition and updated its HTML. */
export async function finishComposition(editor: Locator): Promise<void> {
  await expect
    .poll(() =>
      editor.evaluate((element) => {
        const { view } = (element as unknown as { editor: { view: View } }).editor
        const { composing, docView, domObserver, input } = view
        return [composing, domObserver.queue.length, input.compositionNodes.length, docView.dirty]
      }),
    )
    .toEqual([false, 0, 0, 0])
}
