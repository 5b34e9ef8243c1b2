import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerRequests } from '#admin/lib/testing.tsx'
import { loadScript, trackFailedStyles } from './reload-guard.ts'

/**
 * happy-dom requests no style sheets. Its setting `handleDisabledFileLoadingAsSuccess` decides whether an added sheet
 * loads or fails.
 */
const { settings } = (window as unknown as { happyDOM: { settings: { [name: string]: boolean } } }).happyDOM
const deliverSheets = (delivered: boolean) => {
  settings.handleDisabledFileLoadingAsSuccess = delivered
}

const failed: string[] = []
const requestSheet = (href: string) =>
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }))

describe('loadScript after a style sheet failed', () => {
  beforeAll(() => {
    trackFailedStyles()
    const record = ({ target }: Event) =>
      target instanceof HTMLLinkElement && failed.push(target.getAttribute('href') ?? '')
    window.addEventListener('error', record, { capture: true })
  })
  beforeEach(() => {
    failed.length = 0
  })
  afterEach(() => deliverSheets(false))

  it.each(['https://extension.example/assets/a.css', '/extension/a.css'])(
    'does not retry %s, because the style sheet is not part of the admin build',
    async (href) => {
      requestSheet(href)
      expect(await loadScript(async () => 'loaded')).toBe('loaded')
      expect(failed).toEqual([href])
    },
  )

  it('imports the script if the style sheet fails again while the server is reachable', async () => {
    answerRequests(() => ({ body: '' }))
    const reload = vi.fn(() => true)
    requestSheet('/assets/page.css')
    expect(await loadScript(async () => 'loaded', reload)).toBe('loaded')
    expect(failed).toHaveLength(2)
    expect(reload).not.toHaveBeenCalled()
  })

  it('throws if the server is unreachable; a later call imports the script if the style sheet loads', async () => {
    answerRequests(() => new Error('connection refused'))
    const importer = vi.fn(async () => 'loaded')
    requestSheet('/assets/page.css')
    await expect(loadScript(importer)).rejects.toMatchObject({ isOffline: true })
    expect(importer).not.toHaveBeenCalled()
    deliverSheets(true)
    expect(await loadScript(importer)).toBe('loaded')
    expect(document.head.querySelector('link[href$="/assets/page.css"]')).toBeTruthy()
  })
})
