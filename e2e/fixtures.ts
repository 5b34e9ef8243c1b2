import { test as base, expect } from '@playwright/test'
import { type App, startApp } from '../test/app.ts'

/** Tests of one worker share one Imori, which begins empty; `page.goto('/')` opens it. */
export const test = base.extend<object, { app: App }>({
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameters' names
    async ({}, use) => {
      const app = await startApp()
      await use(app)
      await app.stop()
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ app }, use) => use(app.url),
})

export { expect }
