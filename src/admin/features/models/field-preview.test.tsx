import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { fieldSchema } from '#shared/fields/index.ts'
import { FieldInputPreview } from './field-preview.tsx'

afterEach(cleanup)

it.each(['TEXT', 'CHECKBOX'])(
  'FieldInputPreview shows the badge of a required %s field, but not of an optional field',
  async (type) => {
    const show = (required: boolean) => {
      const field = fieldSchema.parse({
        _id: '0123456789abcdef01234567',
        uid: 'a',
        name: '名前',
        type,
        required,
      })
      return renderInAdmin(
        <FieldInputPreview field={{ ...field, key: 'a' }} place={{ p: 'kawa', a: 'blog' }} />,
      )
    }
    await show(true)
    expect(screen.getByText('必須')).toBeTruthy()
    cleanup()
    await show(false)
    expect(screen.queryByText('必須')).toBeNull()
  },
)
