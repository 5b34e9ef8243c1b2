import { expect, it } from 'vitest'
import { usualImageSettings } from '#shared/image-settings.ts'
import { readWidths, settingsOf, valuesOf } from './values.ts'

it('valuesOf and settingsOf convert settings to form values and back without changes', () => {
  const others = {
    ...usualImageSettings,
    quality: 61,
    formats: ['webp' as const],
    transforms: 'widths' as const,
    widths: [320, 640],
    stripMetadata: false,
    watermark: { assetId: '0123456789abcdef01234567', position: 'north' as const, opacity: 0.35 },
  }
  for (const settings of [usualImageSettings, others])
    expect(settingsOf(valuesOf(settings))).toEqual(settings)
})

it('readWidths reads widths separated by spaces or commas, and returns null for invalid widths', () => {
  expect(readWidths('640, 320 960、１２８０,640')).toEqual([320, 640, 960, 1280])
  expect(readWidths('  ')).toEqual([])
  for (const wrong of ['640px', '0', '5001', '-1', '1.5', '1;2']) expect(readWidths(wrong)).toBeNull()
})
