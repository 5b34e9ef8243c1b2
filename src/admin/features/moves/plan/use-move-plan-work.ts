import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type Dispatch, type SetStateAction, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import type { AnyMovePlan, CarriedCorrections, MoveCorrections } from '#shared/contract/move-plans.ts'
import { isSameValue } from '#shared/fields/same-value.ts'
import { movePlanQuery, movesKey } from '../moves.queries.ts'

export interface MovePlanWork<Draft> {
  draft: Draft
  isDirty: boolean
  busy: boolean
  /** The text of the error of the last attempt to save or start. null: no error. */
  problem: string | null
  canStart: boolean
  change: Dispatch<SetStateAction<Draft>>
  reset: () => void
  save: () => Promise<void>
  start: () => Promise<void>
}

interface Planning<Draft> {
  planKey: QueryKey
  saved: Draft
  /** Saves the draft. Returns it as the server saved it. */
  send: (draft: Draft) => Promise<Draft>
  canStart: (draft: Draft) => boolean
}

/** Returns the draft of a plan, with the actions to save it and to start the import. */
export function useMovePlanWork<Draft>(
  p: string,
  id: string,
  { planKey, saved, send, canStart }: Planning<Draft>,
): MovePlanWork<Draft> {
  const t = useTranslations('moves.plan')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(saved)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const isDirty = !isSameValue(draft, saved)
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setProblem(null)
    try {
      await work()
    } catch (error) {
      setProblem(errorText(error))
      // The reloaded plan contains the problems.
      if (error instanceof ApiError && error.code === 'MovePlanHasProblems')
        await queryClient.invalidateQueries({ queryKey: planKey })
    } finally {
      setBusy(false)
    }
  }
  return {
    draft,
    isDirty,
    busy,
    problem,
    canStart: canStart(draft),
    change: setDraft,
    reset: () => setDraft(saved),
    save: () =>
      attempt(async () => {
        setDraft(await send(draft))
        toast.success(t('saved'))
      }),
    start: () =>
      attempt(async () => {
        if (isDirty) setDraft(await send(draft))
        await api('POST /api/project/{p}/move/{id}/start', { params: { p, id } })
        await queryClient.invalidateQueries({ queryKey: movesKey(p) })
        await navigate({ to: '/$p/-/moves/$move', params: { p, move: id } })
      }),
  }
}

/** Returns whether the user still has to confirm the import of the file. */
export const isUnconfirmed = (draft: MoveCorrections | CarriedCorrections): boolean =>
  'confirmed' in draft && draft.confirmed === false

/** Returns the draft of the plan of one app. */
export function useAppMovePlanWork<
  Plan extends AnyMovePlan,
  Corrections extends MoveCorrections | CarriedCorrections,
>(p: string, id: string, plan: Plan, correctionsOf: (plan: Plan) => Corrections): MovePlanWork<Corrections> {
  const queryClient = useQueryClient()
  const { queryKey } = movePlanQuery(p, id)
  const taken = plan.problems.find(({ code }) => code === 'appUidTaken')?.examples ?? []
  return useMovePlanWork<Corrections>(p, id, {
    planKey: queryKey,
    saved: correctionsOf(plan),
    async send(draft) {
      const answer = await api('PUT /api/project/{p}/move/{id}/plan', {
        params: { p, id },
        body: { data: draft },
      })
      queryClient.setQueryData(queryKey, answer.plan)
      return correctionsOf(answer.plan as Plan)
    },
    canStart: (draft) => !taken.includes(draft.app.uid) && !isUnconfirmed(draft),
  })
}
