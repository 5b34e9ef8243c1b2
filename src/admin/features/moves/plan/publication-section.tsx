import { Checkbox, SegmentedControl, Text } from '@mantine/core'
import {
  IconAlertTriangle,
  IconArchive,
  IconCircleCheck,
  IconCircleDashed,
  IconClock,
  IconHelpCircle,
  IconLock,
  IconTrash,
} from '@tabler/icons-react'
import { type ReactNode, useId } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useDateText } from '#admin/fields/date/use-date-text.ts'
import { Section } from '#admin/ui/section.tsx'
import { StateChip } from '#admin/ui/state-chip.tsx'
import type { PlannedState } from '#shared/contract/move-plans.ts'
import { countChoices, type PublicationChoice, publicationChoices } from '#shared/publication-states.ts'
import { Facts } from '../facts.tsx'
import classes from './publication.module.css'
import type { ModelStates, StateChoice } from './publication-choices.ts'
import { reasonOf } from './state-reasons.ts'

const looks = {
  published: { color: 'mizu', icon: IconCircleCheck },
  scheduled: { color: 'orange', icon: IconClock },
  unknown: { color: 'yellow', icon: IconHelpCircle },
  draft: { color: 'gray', icon: IconCircleDashed },
  archived: { color: 'gray', icon: IconArchive },
  hidden: { color: 'gray', icon: IconLock },
  trashed: { color: 'red', icon: IconTrash },
} as const

interface PublicationSectionProps {
  models: readonly ModelStates[]
  readOnly: boolean
  onChange: (choices: StateChoice[]) => void
  /** Shown after the states. */
  children?: ReactNode
}

/** The contents by their state at the source: the totals for each choice, and a choice for each state. */
export function PublicationSection({ models, readOnly, onChange, children }: PublicationSectionProps) {
  const t = useTranslations('moves.plan.publication')
  const format = useFormatter()
  if (models.length === 0) return null
  const counts = countChoices(models)
  return (
    <Section title={t('title')} description={t('text')}>
      <div role="status">
        <Facts
          facts={publicationChoices.map((choice) => [t(`totals.${choice}`), format.number(counts[choice])])}
        />
      </div>
      <AllWithoutStatement models={models} readOnly={readOnly} onChange={onChange} />
      {models.map(({ from, name, states }) => (
        <section key={from} className={classes.model} aria-label={name}>
          <Text component="h3" fw={600} className={classes.name ?? ''}>
            {name}
          </Text>
          <ul className={classes.states}>
            {states.map((state) => (
              <StateRow
                key={state.key}
                model={name}
                state={state}
                readOnly={readOnly}
                onChange={(choice) => onChange([{ from, key: state.key, choice }])}
              />
            ))}
          </ul>
        </section>
      ))}
      {children}
    </Section>
  )
}

/**
 * A checkbox that publishes all contents whose state the source does not specify. Shown if several models have such
 * contents.
 */
function AllWithoutStatement({ models, readOnly, onChange }: PublicationSectionProps) {
  const t = useTranslations('moves.plan.publication')
  const unstated = models.flatMap(({ from, states }) =>
    states
      .filter(({ state, statement }) => state === 'unknown' && statement === '')
      .map((state) => ({ from, state })),
  )
  if (unstated.length < 2) return null
  const publishedCount = unstated.filter(({ state }) => state.choice === 'publish').length
  const isAll = publishedCount === unstated.length
  return (
    <Checkbox
      mt="md"
      label={t('publishUnstated')}
      description={t('count', { count: unstated.reduce((sum, { state }) => sum + state.count, 0) })}
      checked={isAll}
      indeterminate={publishedCount > 0 && !isAll}
      disabled={readOnly}
      onChange={({ currentTarget: { checked } }) =>
        onChange(
          unstated.map(({ from, state: { key } }) => ({
            from,
            key,
            choice: checked ? 'publish' : 'draft',
          })),
        )
      }
    />
  )
}

interface StateRowProps {
  model: string
  state: PlannedState
  readOnly: boolean
  onChange: (choice: PublicationChoice) => void
}

function StateRow({ model, state: planned, readOnly, onChange }: StateRowProps) {
  const t = useTranslations('moves.plan.publication')
  const warningId = useId()
  const { state, statement, count, changed, examples, choice } = planned
  const name = t(`states.${state}`)
  const isUnstated = state === 'unknown' && statement === ''
  const isRisky = choice === 'publish' && state !== 'published'
  return (
    <li className={classes.state}>
      <div className={classes.about}>
        <div className={classes.head}>
          <StateChip {...looks[state]} text={name} />
          <Text span size="sm" fw={600}>
            {t('count', { count })}
          </Text>
          {statement !== '' && <code>{statement}</code>}
          {isUnstated && (
            <Text span size="sm">
              {t('unstated')}
            </Text>
          )}
        </div>
        <Text size="sm" c="dimmed">
          {t(`reasons.${reasonOf(planned)}`)} {changed > 0 && t('changed', { count: changed })}
        </Text>
        <Examples examples={examples} isScheduled={state === 'scheduled'} />
      </div>
      <SegmentedControl
        size="xs"
        className={classes.choice ?? ''}
        aria-label={t('choose', {
          model,
          state: statement === '' ? name : t('stateWithStatement', { state: name, statement }),
        })}
        {...(isRisky ? { 'aria-describedby': warningId } : {})}
        {...(choice === 'publish' ? { color: 'mizu' } : {})}
        value={choice}
        disabled={readOnly}
        onChange={(value) => onChange(value as PublicationChoice)}
        data={publicationChoices.map((value) => ({ value, label: t(`choices.${value}`) }))}
      />
      {isRisky && (
        <Text id={warningId} size="sm" className={classes.warning ?? ''}>
          <IconAlertTriangle size={16} aria-hidden="true" />
          {t('warning', { count })}
        </Text>
      )}
    </li>
  )
}

/** Matches a title followed by the time at which the source would publish the content. */
const titleWithTime = /^(.*) \((\d{4}-\d\d-\d\dT[\d:.]+Z)\)$/su

/** Maximum number of examples shown without a click. */
const shownExamples = 3

function Examples({ examples, isScheduled }: { examples: readonly string[]; isScheduled: boolean }) {
  const t = useTranslations('moves.plan')
  const dateText = useDateText()
  if (examples.length === 0) return null
  const more = examples.slice(shownExamples)
  const readable = (example: string) => {
    const [, title, at] = (isScheduled && titleWithTime.exec(example)) || []
    const time = at === undefined ? null : dateText(at, 'datetime')
    return title === undefined || time === null ? example : t('publication.titleAt', { title, time })
  }
  const quote = (list: readonly string[]) =>
    list.map((example) => t('sample', { sample: readable(example) })).join(' ')
  return (
    <Text size="xs" component="div" className={classes.examples ?? ''}>
      {t('samples')}
      {quote(examples.slice(0, shownExamples))}
      {more.length > 0 && (
        <details>
          <summary>{t('publication.moreExamples', { count: more.length })}</summary>
          {quote(more)}
        </details>
      )}
    </Text>
  )
}
