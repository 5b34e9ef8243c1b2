import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'

/** Runs one piece of work on a plan at a time, and keeps what stood in its way. */
export function useAttempt(planKey: QueryKey) {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setProblem(null)
    try {
      await work()
    } catch (error) {
      setProblem(errorText(error))
      // What is in its way now is shown with the plan.
      if (error instanceof ApiError && error.code === 'MovePlanHasProblems')
        await queryClient.invalidateQueries({ queryKey: planKey })
    } finally {
      setBusy(false)
    }
  }
  return { busy, problem, attempt }
}
