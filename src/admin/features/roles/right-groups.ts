import type { Right } from '#shared/permissions.ts'

/** The groups in which rights are shown. Their names are in `roles.groups`. */
export const rightGroups = {
  project: [
    { name: 'space', rights: ['space.view', 'space.update', 'space.delete', 'app.create', 'app.order'] },
    {
      name: 'people',
      rights: [
        'member.manage',
        'role.manage',
        'token.manage',
        'webhook.manage',
        'security.manage',
        'audit.read',
      ],
    },
    { name: 'forms', rights: ['form.read', 'form.manage', 'submission.read', 'submission.manage'] },
    {
      name: 'media',
      rights: ['asset.read', 'asset.write.own', 'asset.write.any', 'tag.manage', 'storage.manage'],
    },
    {
      name: 'everyApp',
      rights: ['document.read', 'document.write.own', 'document.publish.own', 'document.write.any'],
    },
    { name: 'everyStructure', rights: ['model.manage', 'view.manage', 'app.manage'] },
  ],
  app: [
    {
      name: 'document',
      rights: ['document.read', 'document.write.own', 'document.publish.own', 'document.write.any'],
    },
    { name: 'structure', rights: ['model.manage', 'view.manage', 'app.manage'] },
  ],
} as const satisfies Record<string, readonly { name: string; rights: readonly Right[] }[]>

/** Returns the translation key of a right, in the section `roles`. */
export const rightKey = (right: Right, part: 'name' | 'text') =>
  `rights.${right}.${part}` as 'rights.space.view.name'
