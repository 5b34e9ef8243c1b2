import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerRequests } from '#admin/lib/testing.tsx'
import { loadScript, trackFailedStyles } from './reload-guard.ts'

/** happy-dom requests no style sheets: by this setting, each loads or fails when it is added. */
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
    'does not request %s again, which was not built with the admin',
    async (href) => {
      requestSheet(href)
      expect(await loadScript(async () => 'loaded')).toBe('loaded')
      expect(failed).toEqual([href])
    },
  )

  it('loads a script although the server does not deliver the sheet', async () => {
    answerRequests(() => ({ body: '' }))
    const reload = vi.fn(() => true)
    requestSheet('/assets/page.css')
    expect(await loadScript(async () => 'loaded', reload)).toBe('loaded')
    expect(failed).toHaveLength(2)
    expect(reload).not.toHaveBeenCalled()
  })

  it('loads no script without its sheet while the server is unreachable', async () => {
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
