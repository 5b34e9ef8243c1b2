import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import { isSameValue } from '#shared/fields/same-value.ts'
import { moveCalls, useMovePlace } from '../move-place.ts'
import { moveQuery } from '../moves.queries.ts'
import { type ModelStates, type StateChoice, withChoices } from '../plan/publication-choices.ts'
import { PublicationSection } from '../plan/publication-section.tsx'
import { changesKey } from './updates.queries.ts'

/**
 * Returns the user's unsaved choices for the states of an import, and the action that saves them and has the file
 * compared again.
 */
export function useStatesDraft(p: string, id: string, saved: readonly ModelStates[]) {
  const place = useMovePlace(p)
  const queryClient = useQueryClient()
  const [choices, setChoices] = useState<StateChoice[]>([])
  const models = withChoices(saved, choices)
  const apply = useMutation({
    mutationFn: () => moveCalls(place, id).choose({ states: choices }),
    onError: (error) => toast.error(errorText(error)),
    async onSuccess() {
      // The server checks the migration again, so another page is shown until the new comparison is ready.
      await queryClient.invalidateQueries({ queryKey: moveQuery(place, id).queryKey, exact: true })
      await queryClient.resetQueries({ queryKey: changesKey(p, id) })
      setChoices([])
    },
  })
  return {
    models,
    isDirty: !isSameValue(models, saved),
    change: (changed: StateChoice[]) =>
      setChoices((before) => [
        ...before.filter((old) => !changed.some(({ from, key }) => from === old.from && key === old.key)),
        ...changed,
      ]),
    reset: () => setChoices([]),
    apply,
  }
}

/** The states of an import's contents, with a button that compares the file again with the choices made. */
export function ImportStates({ draft }: { draft: ReturnType<typeof useStatesDraft> }) {
  const t = useTranslations('moves.into.states')
  const { models, isDirty, change, reset, apply } = draft
  return (
    <PublicationSection models={models} readOnly={apply.isPending} onChange={change}>
      {isDirty && (
        <>
          <UnsavedGuard when={!apply.isPending} />
          <Group gap="sm" mt="lg">
            <Button loading={apply.isPending} onClick={() => apply.mutate()}>
              {t('apply')}
            </Button>
            <Button variant="subtle" color="gray" disabled={apply.isPending} onClick={reset}>
              {t('reset')}
            </Button>
          </Group>
          <Text size="sm" c="dimmed" mt="xs">
            {t('applyText')}
          </Text>
        </>
      )}
    </PublicationSection>
  )
}
