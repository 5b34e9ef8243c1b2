import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { ApiError } from '#admin/lib/api.ts'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { ErrorState } from './states.tsx'

afterEach(cleanup)

it('the error state of a network error says that the data will be loaded automatically', async () => {
  answerRequests(() => new Error('offline'))
  await renderInAdmin(
    <ErrorState error={new ApiError(0, { code: 'NetworkError' })} retry={() => undefined} />,
  )
  expect(screen.getByText(/自動で読み込みます/)).toBeTruthy()
  expect(screen.queryByText(/もう一度お試しください/)).toBeNull()
})
