import type { Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { photograph } from './photograph.ts'

/**
 * Checks a screen with axe. With `E2E_SCREENS=1`, also checks the colours and saves screenshots in both colour schemes,
 * at 1280 and 390 px.
 */
export async function look(page: Page, screen: string): Promise<void> {
  await expectAccessible(page, screen)
  if (!process.env.E2E_SCREENS) return
  for (const width of [1280, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await expectAccessible(page, `${screen} ${colorScheme} ${width}`, 'colors')
      await photograph(page, `${screen}-${width}-${colorScheme}`)
    }
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
}
