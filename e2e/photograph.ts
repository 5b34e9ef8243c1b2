import { type Page, test } from '@playwright/test'

/** With `E2E_SCREENS=1` keeps a picture of the whole page among the results of the test, for people to look at. */
export async function photograph(page: Page, name: string): Promise<void> {
  if (process.env.E2E_SCREENS)
    await page.screenshot({ path: test.info().outputPath(`${name}.png`), fullPage: true })
}
