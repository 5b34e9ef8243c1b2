import { expect, type Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { photograph } from './photograph.ts'

/** Checks the screen for horizontal overflow at 390 and 1280 px in both colour schemes, and with axe at 1280 px. */
export async function lookAt(page: Page, screen: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await photograph(page, `${screen}-${colorScheme}-${width}`)
      // Floating elements are positioned slightly later than the page.
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), {
          message: `${screen} ${width}`,
        })
        .toBeLessThanOrEqual(0)
      if (width === 1280) await expectAccessible(page, screen, colorScheme === 'dark' ? 'colors' : 'all')
    }
  await page.emulateMedia({ colorScheme: 'light' })
}
