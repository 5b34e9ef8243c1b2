import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useAccount } from '#admin/lib/session.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import type { Field } from '#shared/fields/index.ts'
import type { Conflict } from './document-saver.ts'
import type { Choice } from './document-store.ts'
import classes from './editor.module.css'
import { useEditor } from './editor-context.ts'
import { WholeValue } from './whole-value.tsx'

interface ConflictDialogProps {
  conflict: Conflict
  /** Called with the choice for each field when the user confirms. */
  onDecide: (choices: Record<string, Choice>) => void
  onClose: () => void
}

/**
 * A dialog for fields that were also changed by another user or in another window. Shows both versions of each field,
 * to choose one of them.
 */
export function ConflictDialog({ conflict, onDecide, onClose }: ConflictDialogProps) {
  const t = useTranslations('documents.conflict')
  const format = useFormatter()
  const { model, store } = useEditor()
  const [choices, setChoices] = useState<Record<string, Choice>>({})
  const fields = model.fields.filter((field) => conflict.fields.includes(field.uid))
  const account = useAccount()
  const isOwn = conflict.by?.id != null && conflict.by.id === account?._id
  const name = conflict.by ? t('person', { name: conflict.by.name }) : t('somebody')
  const decided = fields.every((field) => choices[field.uid] !== undefined)

  function chooseAll(choice: Choice) {
    setChoices(Object.fromEntries(fields.map((field) => [field.uid, choice])))
  }

  return (
    <Dialog onClose={onClose} title={isOwn ? t('titleOwn') : t('title')} size="xl">
      <Stack gap="lg">
        <Text size="sm" style={{ textWrap: 'wrap' }}>
          {t(isOwn ? 'textOwn' : 'text', {
            name,
            time: conflict.at
              ? format.dateTime(new Date(conflict.at), { dateStyle: 'medium', timeStyle: 'short' })
              : '',
          })}
        </Text>
        {fields.length > 1 && (
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={() => chooseAll('mine')}>
              {isOwn ? t('allMineOwn') : t('allMine')}
            </Button>
            <Button variant="default" size="xs" onClick={() => chooseAll('theirs')}>
              {isOwn ? t('allTheirsOwn') : t('allTheirs')}
            </Button>
          </Group>
        )}
        {fields.map((field) => (
          <fieldset key={field.uid} className={classes.conflict}>
            <legend>{field.name}</legend>
            <div className={classes.sides}>
              {(['mine', 'theirs'] as const).map((side) => (
                <Side
                  key={side}
                  field={field}
                  label={
                    side === 'mine'
                      ? isOwn
                        ? t('mineOwn')
                        : t('mine')
                      : isOwn
                        ? t('theirsOwn')
                        : t('theirs', { name })
                  }
                  value={side === 'mine' ? store.get(field.uid) : conflict.current[field.uid]}
                  other={side === 'mine' ? conflict.current[field.uid] : store.get(field.uid)}
                  chosen={choices[field.uid] === side}
                  first={side === 'mine' && field === fields[0]}
                  choose={() => setChoices({ ...choices, [field.uid]: side })}
                />
              ))}
            </div>
          </fieldset>
        ))}
        <Group justify="flex-end" gap="sm" className={classes.foot}>
          <Button variant="default" onClick={onClose}>
            {t('back')}
          </Button>
          <Button disabled={!decided} onClick={() => onDecide(choices)}>
            {conflict.type === 'PUBLISH' ? t('publish') : t('save')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

interface SideProps {
  field: Field
  label: string
  value: unknown
  other: unknown
  chosen: boolean
  /** Whether this is the first choice, which takes the focus. */
  first: boolean
  choose: () => void
}

function Side({ field, label, value, other, chosen, first, choose }: SideProps) {
  return (
    <div className={classes.side} data-chosen={chosen || undefined}>
      <Radio
        label={label}
        name={`conflict-${field.uid}`}
        checked={chosen}
        onChange={choose}
        {...(first ? { 'data-autofocus': true } : {})}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll it only with the focus. */}
      <div className={classes.sideValue} tabIndex={0}>
        <WholeValue field={field} value={value} other={other} />
      </div>
    </div>
  )
}
