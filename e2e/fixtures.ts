import { test as base, expect } from '@playwright/test'
import { type App, startApp } from './app.ts'
import { openStorage } from './storage.ts'

export interface Installation {
  start(): Promise<App>
}

interface CurrentApp {
  of(file: string, installation: Installation): Promise<App>
}

async function startUsual(): Promise<App> {
  const storage = await openStorage()
  return withBeside(await startApp(storage.env), storage)
}

/**
 * The Imori that the files of a worker share. Each file has its own space there, and all files use the account `person`
 * of `management-api.ts`.
 */
const shared: Installation = { start: startUsual }

/**
 * A separate, empty Imori. A file needs it if it signs up the first account, changes settings of the installation, or
 * reads or writes rows of all spaces in the database.
 */
export const own: Installation = { start: startUsual }

/** Returns the app with a `stop` that also closes `beside`, after the app has stopped. */
export function withBeside(app: App, ...beside: { close(): Promise<unknown> }[]): App {
  const stop = async () => {
    await app.stop()
    for (const other of beside) await other.close()
  }
  return { ...app, stop }
}

/**
 * Files share one Imori per worker, because starting an Imori takes as long as some tests. Each file has its own space
 * there (`enter` in `management-api.ts`).
 *
 * A file that sets `test.use({ installation: own })`, or starts Imori in another way, has a separate Imori, which is
 * initially empty. It is stopped when the worker continues with another file or ends.
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
