import { expect, it } from 'vitest'
import { uploadLimits } from '#shared/contract/assets.ts'
import { maximumBytes, maximumFiles, refusalsOf } from './check.ts'

const file = (name: string, type: string, size = 10) => ({ name, type, size })

it('the upload limits of the admin equal the limits of the contract', () => {
  expect({ files: maximumFiles, bytes: maximumBytes }).toEqual(uploadLimits)
})

it('`refusalsOf` returns a reason for each rejected file, and null for accepted files', () => {
  expect(
    refusalsOf(
      [
        file('a.png', 'image/png'),
        file('large.png', 'image/png', maximumBytes + 1),
        file('full.png', 'image/png', maximumBytes),
        file('empty.png', 'image/png', 0),
        file('a.pdf', 'application/pdf'),
      ],
      'image/*',
    ),
  ).toEqual([null, 'tooLarge', null, 'empty', 'notAccepted'])
})

it('`refusalsOf` accepts ten files per upload, not counting files that are rejected for other reasons', () => {
  const eleven = Array.from({ length: 11 }, (_, index) => file(`${index}.png`, 'image/png'))
  const found = refusalsOf([file('empty.png', 'image/png', 0), ...eleven])
  expect(found.filter((refusal) => refusal === null)).toHaveLength(10)
  expect(found.at(-1)).toBe('tooMany')
})
