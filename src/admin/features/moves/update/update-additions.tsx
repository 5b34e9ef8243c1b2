import { Checkbox, Select, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { adminFieldType } from '#admin/fields/index.ts'
import { Section } from '#admin/ui/section.tsx'
import type { AppChanges, GrownPart, NewField, NewModel } from '#shared/contract/move-updates.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'
import { useUpdateWords } from '../move-place.ts'
import classes from '../moves.module.css'
import { choiceOf } from '../plan/move-plan-draft.ts'
import { useChoiceLabel, useSample } from '../plan/planned-row.tsx'
import { useChoose } from './changed-documents.tsx'
import { namesIn } from './update-names.ts'

interface AdditionsProps {
  p: string
  id: string
  changes: AppChanges
}

/** Returns whether there are new models or fields. */
export const hasAdditions = ({ additions: { models, parts } }: AppChanges): boolean =>
  models.length > 0 || parts.length > 0

/** Models and fields that are new in the source. Each is created unless the user deselects it. */
export function NewParts({ p, id, changes }: AdditionsProps) {
  const t = useUpdateWords('moves.update.additions')
  const choose = useChoose(p, id)
  if (!hasAdditions(changes)) return null
  const { models, parts } = changes.additions
  const sent = choose.isPending ? choose.variables.models?.[0] : undefined
  const isTaken = ({ from, takes }: NewModel) => (sent?.from === from ? sent.takes : takes)
  return (
    <Section title={t('title')} description={t('text')}>
      {models.map((model) => (
        <article key={model.from} className={`${classes.grown} ${classes.newModel}`}>
          <Checkbox
            label={t('takeModel', { name: model.name })}
            description={t('model', { uid: model.uid, count: documentsOf(model) })}
            checked={isTaken(model)}
            onChange={({ currentTarget: { checked } }) =>
              choose.mutate({ models: [{ from: model.from, takes: checked }] })
            }
          />
          {isTaken(model) && <Fields p={p} id={id} changes={changes} part={{ ...model, kind: 'model' }} />}
        </article>
      ))}
      {parts.map((part) => (
        <article key={`${part.kind} ${part.uid}`} className={classes.grown}>
          <Text fw={600} className={classes.title ?? ''}>
            {t(`grown.${part.kind}`, { name: part.name })}
          </Text>
          <Fields p={p} id={id} changes={changes} part={part} />
        </article>
      ))}
      <Text size="sm" c="dimmed" mt="sm">
        {t('notFollowed')}
      </Text>
    </Section>
  )
}

const documentsOf = ({ documents: { draft, published, changed, unpublished } }: NewModel) =>
  draft + published + changed + unpublished

function Fields({ part, ...props }: AdditionsProps & { part: GrownPart }) {
  return (
    <ul className={classes.rows}>
      {part.fields.map((field) => (
        <li key={field.from} className={classes.row}>
          <NewFieldRow {...props} part={part} planned={field} />
        </li>
      ))}
    </ul>
  )
}

/** A new field: a choice whether it is created, its type, and sample values. */
function NewFieldRow({
  p,
  id,
  changes,
  part: { kind, uid },
  planned,
}: AdditionsProps & { part: GrownPart; planned: NewField }) {
  const t = useUpdateWords('moves.update.additions')
  const words = useTranslations('moves.plan')
  const choose = useChoose(p, id)
  const labelOf = useChoiceLabel(namesIn(changes))
  const { from, field, choices, samples } = planned
  const sent = choose.isPending ? choose.variables.fields?.[0] : undefined
  const at = sent?.choice ?? choiceOf(planned)
  const choice = choices[at] ?? choices[0]
  const shown = useSample(choice?.settings ?? field)
  const TypeIcon = adminFieldType({ type: (choice?.settings.type ?? field.type) as FieldTypeName }).icon
  const send = (chosen: { takes: boolean } | { choice: number }) =>
    choose.mutate({ fields: [{ kind, uid, from, ...chosen }] })
  return (
    <div className={classes.rowMain}>
      <div className={classes.newField}>
        <Checkbox
          label={
            <>
              {field.name} <code>{field.uid}</code>
            </>
          }
          aria-label={t('takeField', { name: field.name })}
          checked={sent?.takes ?? planned.takes}
          onChange={({ currentTarget: { checked } }) => send({ takes: checked })}
        />
        <Select
          size="xs"
          aria-label={words('fieldType', { from })}
          leftSection={<TypeIcon size={16} stroke={1.7} aria-hidden="true" />}
          data={choices.map((one, index) => ({ value: String(index), label: labelOf(one) }))}
          value={at < 0 ? null : String(at)}
          readOnly={choices.length < 2}
          allowDeselect={false}
          onChange={(next) => next !== null && send({ choice: Number(next) })}
        />
      </div>
      <div className={classes.newFieldWhy}>
        <Text size="xs" c="dimmed">
          {choice && words(`why.${choice.why.code as 'texts'}`, choice.why.params)}
          {choice?.differences.map(({ code, count }) => ` ${words(`differences.${code}`, { count })}`)}
        </Text>
        {samples.length > 0 && (
          <Text size="xs" className={classes.samples}>
            {words('samples')}
            {samples.map(shown).join(' ')}
          </Text>
        )}
      </div>
    </div>
  )
}

/** The result for new models and fields. */
export function MadeParts({ changes }: { changes: AppChanges }) {
  const t = useUpdateWords('moves.update.additions')
  const said = useMaking()
  if (!hasAdditions(changes)) return null
  const { models, parts } = changes.additions
  return (
    <Section title={t('title')}>
      <ul className={classes.problems}>
        {models.map((model) => (
          <li key={model.from}>
            <Text size="sm">{t('madeModel', { name: model.name, outcome: said(model) })}</Text>
            {model.outcome === 'made' && <Others fields={model.fields} />}
          </li>
        ))}
        {parts.map((part) => (
          <li key={`${part.kind} ${part.uid}`}>
            <Text size="sm">{t(`grown.${part.kind}`, { name: part.name })}</Text>
            <Others fields={part.fields} all />
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** Lists fields that were not created. `all`: lists every field. */
function Others({ fields, all = false }: { fields: readonly NewField[]; all?: boolean }) {
  const t = useUpdateWords('moves.update.additions')
  const said = useMaking()
  const told = fields.filter(({ outcome }) => all || outcome !== 'made')
  if (told.length === 0) return null
  return (
    <ul className={classes.places}>
      {told.map((field) => (
        <li key={field.from}>
          <Text size="sm">{t('madeField', { name: field.field.name, outcome: said(field) })}</Text>
        </li>
      ))}
    </ul>
  )
}

function useMaking() {
  const t = useUpdateWords('moves.update.additions')
  return ({ outcome, problem }: Pick<NewField, 'outcome' | 'problem'>): string => {
    if (problem !== null) return t(`problems.${problem}`)
    return t(`outcomes.${outcome === 'made' || outcome === 'left' ? outcome : 'waiting'}`)
  }
}
