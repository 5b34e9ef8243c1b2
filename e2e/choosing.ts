import type { Locator } from '@playwright/test'
import { expect } from './fixtures.ts'

/**
 * Opens the drop-down that has the focus by an arrow key, goes down to the option of this name and takes it by Enter.
 * When a list opens, Mantine's Combobox notes the marked option in two timers, the first of which says "none"; a key
 * that is pressed between the two starts at the top again. Arrows are therefore pressed until the option is marked.
 */
export async function chooseByKeyboard(dropDown: Locator, name: string): Promise<void> {
  const page = dropDown.page()
  const option = page.getByRole('option', { name, exact: true })
  await expect(async () => {
    await page.keyboard.press('ArrowDown')
    await expect(option).toHaveAttribute('data-combobox-selected', 'true', { timeout: 500 })
  }).toPass()
  await page.keyboard.press('Enter')
  await expect(dropDown).toHaveValue(name)
}
