import { Collapse, Group, Select, Text, TextInput, UnstyledButton } from '@mantine/core'
import { IconAlertTriangle, IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { memo, type ReactNode, useCallback, useId, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useSortableLabels } from '#admin/fields/sortable-labels.ts'
import { SortableList } from '#admin/ui/sortable.tsx'
import { StateChip } from '#admin/ui/state-chip.tsx'
import type { MoveCorrections, PlannedField } from '#shared/contract/move-plans.ts'
import classes from '../moves.module.css'
import { isUnsure, moved, type PlannedPart, replaced } from './move-plan-draft.ts'
import { PlannedRow } from './planned-row.tsx'
import { countDocuments } from './publication-choices.ts'
import { canBeTitle } from './title-fields.ts'

interface PlannedPartProps {
  part: PlannedPart
  plan: MoveCorrections
  hasOwnUids: boolean
  readOnly: boolean
  onChange: (part: PlannedPart) => void
}

/** A model or custom type to be created. */
export const PlannedPartCard = memo(function PlannedPartCard(props: PlannedPartProps) {
  const { part } = props
  const t = useTranslations('moves.plan')
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const unsure = part.fields.filter(isUnsure).length
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <article className={classes.part}>
      <UnstyledButton
        className={classes.partHead}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Chevron size={18} aria-hidden="true" />
        <span className={classes.partName}>
          {part.name} <code>{part.uid}</code>
        </span>
        {unsure > 0 && (
          <StateChip color="yellow" icon={IconAlertTriangle} text={t('unsure', { count: unsure })} />
        )}
        <Text span size="sm" c="dimmed">
          {t('about', {
            fields: part.fields.length,
            count: 'documents' in part ? countDocuments(part) : part.items,
          })}
        </Text>
      </UnstyledButton>
      <Collapse expanded={isOpen} id={id}>
        {isOpen && <PartBody {...props} />}
      </Collapse>
    </article>
  )
})

function PartBody({ part, plan, hasOwnUids, readOnly, onChange }: PlannedPartProps) {
  const t = useTranslations('moves.plan')
  const labels = useSortableLabels()
  const { fields } = part
  const setFields = useCallback(
    (changed: PlannedField[]) => onChange({ ...part, fields: changed }),
    [part, onChange],
  )
  const titles = useMemo(() => fields.filter(canBeTitle), [fields])
  const renderItem = (planned: PlannedField, index: number, handle: ReactNode) => (
    <PlannedRow
      planned={planned}
      plan={plan}
      handle={handle}
      readOnly={readOnly}
      isTitle={'titleField' in part && part.titleField === planned.field.uid}
      hasOwnUid={hasOwnUids}
      onChange={(changed) => {
        const isTitle = 'titleField' in part && part.titleField === planned.field.uid
        const title = isTitle ? { titleField: changed.field.uid } : {}
        onChange({ ...part, ...title, fields: replaced(fields, index, changed) })
      }}
    />
  )
  return (
    <div className={classes.partBody}>
      {'documents' in part && !part.states && (
        <Text size="sm" c="dimmed" mb="sm">
          {t('states', part.documents)}
        </Text>
      )}
      {'usedBy' in part && (
        <Text size="sm" c="dimmed" mb="sm">
          {t('usedBy', { places: part.usedBy.slice(0, 5).join(', ') })}
        </Text>
      )}
      <Group align="end" gap="md" mb="md">
        <TextInput
          label={t('name')}
          value={part.name}
          maxLength={100}
          readOnly={readOnly}
          onChange={({ currentTarget: { value } }) => onChange({ ...part, name: value })}
        />
        {!hasOwnUids && 'documents' in part && (
          <TextInput
            label={t('modelUid')}
            value={part.uid}
            maxLength={64}
            readOnly={readOnly}
            onChange={({ currentTarget: { value } }) => onChange({ ...part, uid: value })}
          />
        )}
        {'titleField' in part && titles.length > 0 && (
          <Select
            label={t('titleField')}
            data={titles.map(({ field }) => ({ value: field.uid, label: `${field.name} (${field.uid})` }))}
            value={part.titleField}
            readOnly={readOnly}
            allowDeselect={false}
            onChange={(titleField) => titleField && onChange({ ...part, titleField })}
          />
        )}
      </Group>
      {fields.length === 0 ? (
        <Text size="sm">{t('noFields')}</Text>
      ) : (
        <SortableList
          items={fields}
          getId={({ from }) => from}
          getName={({ field }) => field.name}
          onMove={(from, to) => setFields(moved(fields, from, to))}
          renderItem={renderItem}
          labels={labels}
          fixed={readOnly}
          {...(classes.rows ? { className: classes.rows } : {})}
        />
      )}
    </div>
  )
}
