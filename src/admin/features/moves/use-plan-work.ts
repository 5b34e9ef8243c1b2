import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import type { AnyMovePlan, CarriedCorrections, MoveCorrections } from '#shared/contract/move-plans.ts'
import { isSameValue } from '#shared/fields/same-value.ts'
import { movePlanQuery, movesKey } from './moves.queries.ts'
import { useAttempt } from './use-attempt.ts'

/** What is corrected of a plan, kept until it is saved or the import is started. */
export function usePlanWork<
  Plan extends AnyMovePlan,
  Corrections extends MoveCorrections | CarriedCorrections,
>(p: string, id: string, plan: Plan, correctionsOf: (plan: Plan) => Corrections) {
  const t = useTranslations('moves.plan')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const saved = correctionsOf(plan)
  const [draft, setDraft] = useState<Corrections>(saved)
  const { busy, problem, attempt } = useAttempt(movePlanQuery(p, id).queryKey)
  const isDirty = !isSameValue(draft, saved)
  const taken = plan.problems.find(({ code }) => code === 'appUidTaken')?.examples ?? []
  const params = { p, id }

  const send = async () => {
    const answer = await api('PUT /api/project/{p}/move/{id}/plan', { params, body: { data: draft } })
    queryClient.setQueryData(movePlanQuery(p, id).queryKey, answer.plan)
    setDraft(correctionsOf(answer.plan as Plan))
  }
  return {
    draft,
    isDirty,
    busy,
    problem,
    canStart: !taken.includes(draft.app.uid),
    change: (changed: Partial<Corrections>) => setDraft((before) => ({ ...before, ...changed })),
    reset: () => setDraft(saved),
    save: () =>
      attempt(async () => {
        await send()
        toast.success(t('saved'))
      }),
    start: () =>
      attempt(async () => {
        if (isDirty) await send()
        await api('POST /api/project/{p}/move/{id}/start', { params })
        await queryClient.invalidateQueries({ queryKey: movesKey(p) })
        await navigate({ to: '/$p/-/moves/$move', params: { p, move: id } })
      }),
  }
}
