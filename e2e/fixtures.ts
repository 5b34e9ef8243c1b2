import { test as base, expect } from '@playwright/test'
import { type App, startApp } from './app.ts'
import { openStorage } from './storage.ts'

/** How the Imori of a test file starts. Processes next to it end with it. */
export interface Installation {
  start(): Promise<App>
}

/** The Imori of the current test file of a worker; it ends when the worker starts another file. */
interface CurrentApp {
  of(file: string, installation: Installation): Promise<App>
}

const usual: Installation = {
  async start() {
    const storage = await openStorage()
    return withBeside(await startApp(storage.env), storage)
  },
}

/** The app, and what ends after it. */
export function withBeside(app: App, ...beside: { close(): Promise<unknown> }[]): App {
  const stop = async () => {
    await app.stop()
    for (const other of beside) await other.close()
  }
  return { ...app, stop }
}

/**
 * Tests of one file share one Imori, which is initially empty; `page.goto('/')` opens it. A file that starts Imori
 * differently sets `test.use({ installation })`. Workers keep their browser between files, because starting one takes
 * as long as some of the tests.
 */
export const test = base.extend<{ installation: Installation; app: App }, { currentApp: CurrentApp }>({
  installation: [usual, { option: true }],
  currentApp: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameters' names
    async ({}, use) => {
      let current: { file: string; app: App } | undefined
      await use({
        async of(file, installation) {
          if (current?.file === file) return current.app
          await current?.app.stop()
          current = undefined
          const app = await installation.start()
          current = { file, app }
          return app
        },
      })
      await current?.app.stop()
    },
    { scope: 'worker' },
  ],
  app: async ({ currentApp, installation }, use, { file }) => use(await currentApp.of(file, installation)),
  baseURL: async ({ app }, use) => use(app.url),
})

export { expect }
