import { type Page, test } from '@playwright/test'

/** With `E2E_SCREENS=1`, saves a screenshot of the whole page to the test results, for review. */
export async function photograph(page: Page, name: string): Promise<void> {
  if (process.env.E2E_SCREENS)
    await page.screenshot({ path: test.info().outputPath(`${name}.png`), fullPage: true })
}
