import { test as base, expect } from '@playwright/test'
import { type App, startApp } from './app.ts'
import { openStorage } from './storage.ts'

/** How the Imori of a test file starts. Processes next to it end with it. */
export interface Installation {
  start(): Promise<App>
}

/** The Imori of a worker's current test file. */
interface CurrentApp {
  of(file: string, installation: Installation): Promise<App>
}

async function startUsual(): Promise<App> {
  const storage = await openStorage()
  return withBeside(await startApp(storage.env), storage)
}

/** Used by one file after another. Its account is the person of `management-api.ts`, with a space for each file. */
const shared: Installation = { start: startUsual }

/**
 * For a file that needs an empty installation: it signs up the first account, changes settings of the installation, or
 * reads or writes rows of all spaces in the database.
 */
export const own: Installation = { start: startUsual }

/** The app, and what ends after it. */
export function withBeside(app: App, ...beside: { close(): Promise<unknown> }[]): App {
  const stop = async () => {
    await app.stop()
    for (const other of beside) await other.close()
  }
  return { ...app, stop }
}

/**
 * Files share one Imori per worker, in which each uses a space of its own (`enter` in `management-api.ts`). A file that
 * sets `test.use({ installation: own })`, or starts Imori differently, has its own Imori, which is initially empty and
 * ends with the file. Workers keep their browser between files too: starting either takes as long as some of the tests.
 */
export const test = base.extend<{ installation: Installation; app: App }, { currentApp: CurrentApp }>({
  installation: [shared, { option: true }],
  currentApp: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameters' names
    async ({}, use) => {
      let common: App | undefined
      let separate: { file: string; app: App } | undefined
      await use({
        async of(file, installation) {
          if (separate?.file === file) return separate.app
          await separate?.app.stop()
          separate = undefined
          if (installation === shared) {
            common ??= await shared.start()
            return common
          }
          const app = await installation.start()
          separate = { file, app }
          return app
        },
      })
      await separate?.app.stop()
      await common?.stop()
    },
    { scope: 'worker' },
  ],
  app: async ({ currentApp, installation }, use, { file }) => use(await currentApp.of(file, installation)),
  baseURL: async ({ app }, use) => use(app.url),
})

export { expect }
