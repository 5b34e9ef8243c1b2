import type { Page } from '@playwright/test'

/**
 * Types into the focused input as a Japanese input method does: the reading is composed, Enter confirms the
 * conversion. A page that takes that Enter for its own has a fault.
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
  // What an input method's own keys look like to a page: code 229 while composing.
  const enter = { windowsVirtualKeyCode: 229, key: 'Process', code: 'Enter' }
  await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter })
  await session.send('Input.insertText', { text })
  await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter })
  await session.detach()
}

/** Begins a word as an input method does, and leaves it there; {@link typeJapanese} goes on with it. */
export async function beginJapanese(page: Page, reading: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Input.imeSetComposition', {
    text: reading,
    selectionStart: reading.length,
    selectionEnd: reading.length,
  })
  await session.detach()
}
