import { Stack } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import { useFileSize } from '#admin/ui/file-size.ts'
import { Section } from '#admin/ui/section.tsx'
import type { MoveCorrections, MovePlan } from '#shared/contract/move-plans.ts'
import type { Move } from '#shared/contract/moves.ts'
import { canStart } from '../moves.queries.ts'
import { ConfirmSource } from './confirm-source.tsx'
import { LeftOutSection } from './left-out-section.tsx'
import { correctionsOf, type PlannedPart, replaced } from './move-plan-draft.ts'
import { AppMovePlan } from './move-plan-frame.tsx'
import { PlannedPartCard } from './planned-part.tsx'
import { countDocuments, modelsWithStates, withChoices } from './publication-choices.ts'
import { PublicationSection } from './publication-section.tsx'
import { useAppMovePlanWork } from './use-move-plan-work.ts'

/** The plan for contents of another service. The user can correct the inferred models, custom types and fields. */
export function ContentsPlan({ p, move, plan }: { p: string; move: Move; plan: MovePlan }) {
  const t = useTranslations('moves.plan')
  const source = useTranslations('moves.sources.names')
  const format = useFormatter()
  const size = useFileSize()
  const work = useAppMovePlanWork(p, move._id, plan, correctionsOf)
  const { draft, change } = work
  const { assets, bytes } = plan.counts
  const states = modelsWithStates(draft.models)
  const documents =
    states.length === 0
      ? plan.counts.documents
      : draft.models.reduce((sum, model) => sum + countDocuments(model), 0)
  // Sites built on Newt use the uids of its models and fields, so these uids are kept.
  const common = { plan: draft, hasOwnUids: plan.source.kind === 'newt', readOnly: !canStart(move) }
  return (
    <AppMovePlan
      p={p}
      move={move}
      plan={plan}
      work={work}
      text={t('text')}
      uidText={t('app.uidText')}
      facts={[
        [t('counts.source'), source(plan.source.kind)],
        [t('counts.models'), format.number(plan.models.length)],
        [t('counts.documents'), format.number(documents)],
        [t('counts.assets'), `${format.number(assets)} (${size(bytes)})`],
      ]}
      about={
        draft.confirmed !== undefined && (
          <ConfirmSource
            confirmed={draft.confirmed}
            readOnly={common.readOnly}
            onChange={(confirmed) => change((before) => ({ ...before, confirmed }))}
          />
        )
      }
    >
      <PublicationSection
        models={states}
        readOnly={common.readOnly}
        onChange={(choices) =>
          change((before) => ({ ...before, models: withChoices(before.models, choices) }))
        }
      />
      <LeftOutSection leftOut={plan.leftOut ?? []} />
      <Parts
        {...common}
        title={t('models')}
        parts={draft.models}
        onChange={(models) => change((before) => ({ ...before, models }))}
      />
      {draft.customTypes.length > 0 && (
        <Parts
          {...common}
          title={t('customTypes')}
          parts={draft.customTypes}
          onChange={(customTypes) => change((before) => ({ ...before, customTypes }))}
        />
      )}
    </AppMovePlan>
  )
}

interface PartsProps<Part extends PlannedPart> {
  title: string
  parts: readonly Part[]
  plan: MoveCorrections
  /** Whether existing sites use the uids, so that they should not be changed. */
  hasOwnUids: boolean
  readOnly: boolean
  onChange: (parts: Part[]) => void
}

function Parts<Part extends PlannedPart>({ title, parts, onChange, ...common }: PartsProps<Part>) {
  return (
    <Section title={title}>
      <Stack gap="sm">
        {parts.map((part, index) => (
          <PlannedPartCard
            key={part.from ?? part.uid}
            {...common}
            part={part}
            onChange={(changed) => onChange(replaced(parts, index, changed as Part))}
          />
        ))}
      </Stack>
    </Section>
  )
}
