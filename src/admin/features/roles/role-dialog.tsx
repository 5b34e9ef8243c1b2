import { Alert, Button, Checkbox, Fieldset, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { issueText } from '#admin/lib/errors.ts'
import { modals } from '#admin/lib/modals.ts'
import { appRoleQuery, modelsQuery, spaceRoleQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { useForm } from '#admin/lib/use-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import type { Role } from '#shared/contract/roles.ts'
import { ofEveryMember, ofWholeApps, type Right } from '#shared/permissions.ts'
import { ModelRights } from './model-rights.tsx'
import { rightGroups, rightKey } from './right-groups.ts'
import { neededBy, toggled } from './rights-of-role.ts'
import { type RolePlace, roleCalls } from './roles.queries.ts'

interface RoleDialogOptions {
  place: RolePlace
  /** The role to edit or to copy. null: a new role. */
  role: Role | null
  isCopy: boolean
  title: string
  name: string
  onSaved: () => Promise<unknown>
}

/** Opens the dialog that creates, copies or edits a role. */
export function openRoleDialog(options: RoleDialogOptions): void {
  const id = modals.open({
    title: options.title,
    size: 'lg',
    children: <RoleForm {...options} close={() => modals.close(id)} />,
  })
}

function RoleForm({ place, role, isCopy, name, onSaved, close }: RoleDialogOptions & { close: () => void }) {
  const t = useTranslations('roles')
  const common = useTranslations('common')
  const { p, a } = place
  const target = a === undefined ? 'project' : 'app'
  const held = useHeld(place)
  const models = useQuery({ ...modelsQuery(p, a ?? ''), enabled: a !== undefined }).data
  const edited = isCopy ? null : role
  const isOwn = edited !== null && held.role === edited.uid
  const { values, set, field, problem, saving, formProps } = useForm({
    values: {
      name,
      description: role?.description ?? '',
      rights: new Set<Right>(role?.rights ?? (target === 'project' ? [ofEveryMember] : ['document.read'])),
      models: role?.models ?? {},
    },
    texts: { VersionConflict: t('changedMeanwhile') },
    check: ({ name: given }) => ({ name: given.trim() ? null : issueText({ code: 'Required' }) }),
    submit: async ({ name: given, description, rights, models: said }) => {
      const whole = ofWholeApps.some((right) => rights.has(right))
      const draft = {
        name: given,
        description,
        rights: [...rights],
        ...(target === 'app' ? { models: whole ? {} : said } : {}),
      }
      const calls = roleCalls(place)
      if (edited) {
        const { rights: _rights, models: _models, ...words } = draft
        await calls.update(edited.uid, {
          ...(isOwn ? words : draft),
          version: edited.version,
        } as typeof draft & {
          version: number
        })
        toast.success(t('saved'))
      } else {
        await calls.create(draft)
        toast.success(t('created', { name: given.trim() }))
      }
      await onSaved()
      close()
    },
  })
  const managesAll = ofWholeApps.some((right) => values.rights.has(right))

  return (
    <form {...formProps}>
      <FormStack>
        <FormProblem text={problem} />
        <TextInput
          {...field('name')}
          label={t('name')}
          placeholder={t('namePlaceholder')}
          maxLength={100}
          required
          data-autofocus
        />
        <Textarea
          {...field('description')}
          label={t('description')}
          placeholder={t('descriptionPlaceholder')}
          maxLength={500}
          autosize
          minRows={2}
        />
        {isOwn && <Alert variant="light">{t('ownRole')}</Alert>}
        {rightGroups[target].map((group) => (
          <Fieldset key={group.name} legend={t(`groups.${group.name}`)} disabled={isOwn}>
            <Stack gap="sm">
              {group.rights.map((right) => (
                <RightBox
                  key={right}
                  right={right}
                  rights={values.rights}
                  isHeld={held.rights.has(right)}
                  onChange={(rights) => set('rights', rights)}
                />
              ))}
            </Stack>
          </Fieldset>
        ))}
        {target === 'app' && (
          <Fieldset legend={t('models.title')} disabled={isOwn}>
            <Text size="sm" c="dimmed" mb="sm">
              {managesAll ? t('models.notWithWhole') : t('models.text')}
            </Text>
            {!managesAll && models && (
              <ModelRights models={models} value={values.models} onChange={(next) => set('models', next)} />
            )}
          </Fieldset>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={saving}>
            {common('save')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}

/** Returns the caller's own role and rights in the space or app. Callers can only grant rights that they have. */
function useHeld({ p, a }: RolePlace): { role: string | null; rights: ReadonlySet<Right> } {
  const space = useQuery(spaceRoleQuery(p)).data
  const app = useQuery({ ...appRoleQuery(p, a ?? ''), enabled: a !== undefined }).data
  // In an app, exceptions for single models do not count: a right counts if the caller has it in all other models. In a
  // space, a right in apps counts only if the caller has it in every app. The server makes the final decision.
  if (a !== undefined) return { role: app?.uid ?? null, rights: new Set<Right>(app?.elsewhere ?? []) }
  return { role: space?.uid ?? null, rights: new Set<Right>(space?.held ?? []) }
}

interface RightBoxProps {
  right: Right
  rights: ReadonlySet<Right>
  isHeld: boolean
  onChange: (rights: Set<Right>) => void
}

function RightBox({ right, rights, isHeld, onChange }: RightBoxProps) {
  const t = useTranslations('roles')
  const needed = right === ofEveryMember ? right : neededBy(rights, right)
  const isOn = rights.has(right)
  const why =
    right === ofEveryMember
      ? t('everyMember')
      : !isHeld && !isOn
        ? t('notHeld')
        : needed && t('needed', { name: t(rightKey(needed, 'name')) })
  return (
    <Checkbox
      checked={isOn}
      disabled={needed !== undefined || (!isHeld && !isOn)}
      onChange={(event) => onChange(toggled(rights, right, event.currentTarget.checked))}
      label={t(rightKey(right, 'name'))}
      description={
        why ? `${t(rightKey(right, 'text'))} ${t('because', { why })}` : t(rightKey(right, 'text'))
      }
    />
  )
}
