import { test as base, expect } from '@playwright/test'
import { type App, startApp } from './app.ts'
import { openStorage } from './storage.ts'

/**
 * Tests of one file share one Imori, which begins empty; `page.goto('/')` opens it. A file names it
 * (`test.use({ installation: 'flow' })`): a worker that has run another file's tests starts anew.
 */
export const test = base.extend<object, { installation: string; app: App }>({
  installation: ['', { scope: 'worker', option: true }],
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameters' names
    async ({}, use) => {
      const storage = await openStorage()
      const app = await startApp(storage.env)
      await use(app)
      await app.stop()
      await storage.close()
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ app }, use) => use(app.url),
})

export { expect }
